-- The first schema: organizations and their secrets, service keys, call records, the marks of shipped journal segments. One shape on both
-- engines; SQLite tables are STRICT, so that a wrong type is an error there too.
-- `call_record` is made for ten million rows. Its key is a dense sequence, so rows are appended at the right edge of the table. "Newest first for
-- an organization" and every time range are one walk along (organization, started_at_ms, sequence). There is no unique index on the random id:
-- exactly-once is the work of the segment's mark, in the same transaction, and an index in random order costs a page written for each row (67,000
-- rows a second against 490,000 measured with a thousand rows a transaction), which every forwarded call would pay. Who looks records up by id adds
-- a lookup table that is filled in sorted slices off the path of calls.
-- Text is ordered and compared by bytes on every installation, as SQLite does.
-- Records have no reference to the organization: a record must find its place even where its organization is gone.
-- SQLite ends every index entry with the row's key, which `sequence` is; PostgreSQL must be told.
--
create table "metergate_schema" ("only" {whole} primary key check ("only" = 1), "version" {whole} not null) {strict}
--
create table "store_identity" ("only" {whole} primary key check ("only" = 1), "salt" {bytes} not null, "fingerprint" {text} not null) {strict}
--
create table "revision" ("only" {whole} primary key check ("only" = 1), "value" {whole} not null) {strict}
--
insert into "revision" ("only", "value") values (1, 0)
--
create table "organization" ("id" {text} not null primary key, "name" {text} not null unique, "plan" {text} not null, "drain_seconds" {whole},
  "fallback_input_nano" {whole}, "fallback_output_nano" {whole}, "created_at_ms" {whole} not null, "revision" {whole} not null) {strict}
--
create index "organization_by_revision" on "organization" ("revision")
--
create table "organization_data_key" ("organization" {text} not null references "organization" ("id"), "wrapped" {bytes} not null, "wrapped_by"
  {text} not null, constraint "organization_data_key_pk" primary key ("organization")) {strict}
--
create table "service_key" ("id" {text} not null primary key, "organization" {text} not null references "organization" ("id"), "hash" {text} not
  null unique, "prefix" {text} not null, "name" {text}, "project" {text}, "created_at_ms" {whole} not null, "expires_at_ms" {whole}, "revoked_at_ms"
  {whole}) {strict}
--
create index "service_key_by_organization" on "service_key" ("organization", "created_at_ms")
--
create table "provider_connection" ("organization" {text} not null references "organization" ("id"), "provider" {text} not null, "sealed" {bytes}
  not null, "version" {whole} not null, constraint "provider_connection_pk" primary key ("organization", "provider")) {strict}
--
create table "declared_upstream" ("organization" {text} not null references "organization" ("id"), "url" {text} not null, "enabled" {whole} not
  null, "sealed" {bytes}, "version" {whole} not null, constraint "declared_upstream_pk" primary key ("organization")) {strict}
--
create table "price_overlay" ("only" {whole} primary key check ("only" = 1), "json" {text} not null, "revision" {whole} not null) {strict}
--
create table "journal_segment" ("id" {text} not null primary key, "mark" {whole} not null) {strict}
--
create table "call_record" ("sequence" {identity}, "id" {text} not null, "organization" {text} not null, "key" {text} not null, "project" {text},
  "labels" {text}, "labels_dropped" {whole} not null, "run" {text}, "wire" {text} not null, "endpoint" {text} not null, "method" {text} not null,
  "path" {text} not null, "started_at_ms" {whole} not null, "node" {text} not null, "streamed" {whole} not null, "status" {whole}, "outcome" {text}
  not null, "model" {text}, "finish_reason" {text}, "input_tokens" {whole}, "output_tokens" {whole}, "cached_tokens" {whole}, "cache_write_tokens"
  {whole}, "reasoning_tokens" {whole}, "usage" {text} not null, "usage_reason" {text}, "cost_nano" {whole}, "cost_source" {text} not null,
  "price_list" {text}, "provider_request_id" {text}, "request_bytes" {whole} not null, "response_bytes" {whole} not null, "first_byte_ms" {real},
  "duration_ms" {real}) {strict}
--
create index call_record_by_time on call_record (organization, started_at_ms{sequence})
--
create index call_record_by_run on call_record (organization, run, started_at_ms{sequence}) where run is not null
