create table "metergate_schema" ("only" bigint primary key check ("only" = 1), "version" bigint not null);
--
create table "store_identity" ("only" bigint primary key check ("only" = 1), "salt" bytea not null, "fingerprint" text collate "C" not null);
--
create table "revision" ("only" bigint primary key check ("only" = 1), "value" bigint not null);
--
insert into "revision" ("only", "value") values (1, 0);
--
create table "organization" ("id" text collate "C" not null primary key, "name" text collate "C" not null unique, "plan" text collate "C" not null, "drain_seconds" bigint, "fallback_input_nano" bigint, "fallback_output_nano" bigint, "created_at_ms" bigint not null, "revision" bigint not null);
--
create index "organization_by_revision" on "organization" ("revision");
--
create table "organization_data_key" ("organization" text collate "C" not null references "organization" ("id"), "wrapped" bytea not null, "wrapped_by" text collate "C" not null, constraint "organization_data_key_pk" primary key ("organization"));
--
create table "service_key" ("id" text collate "C" not null primary key, "organization" text collate "C" not null references "organization" ("id"), "hash" text collate "C" not null unique, "prefix" text collate "C" not null, "name" text collate "C", "project" text collate "C", "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint);
--
create index "service_key_by_organization" on "service_key" ("organization", "created_at_ms");
--
create table "provider_connection" ("organization" text collate "C" not null references "organization" ("id"), "provider" text collate "C" not null, "sealed" bytea not null, "version" bigint not null, constraint "provider_connection_pk" primary key ("organization", "provider"));
--
create table "declared_upstream" ("organization" text collate "C" not null references "organization" ("id"), "url" text collate "C" not null, "enabled" bigint not null, "sealed" bytea, "version" bigint not null, constraint "declared_upstream_pk" primary key ("organization"));
--
create table "price_overlay" ("only" bigint primary key check ("only" = 1), "json" text collate "C" not null, "revision" bigint not null);
--
create table "journal_segment" ("id" text collate "C" not null primary key, "mark" bigint not null);
--
create table "call_record" ("sequence" bigint generated always as identity primary key, "id" text collate "C" not null, "organization" text collate "C" not null, "key" text collate "C" not null, "project" text collate "C", "labels" text collate "C", "labels_dropped" bigint not null, "run" text collate "C", "wire" text collate "C" not null, "endpoint" text collate "C" not null, "method" text collate "C" not null, "path" text collate "C" not null, "started_at_ms" bigint not null, "node" text collate "C" not null, "streamed" bigint not null, "status" bigint, "outcome" text collate "C" not null, "model" text collate "C", "finish_reason" text collate "C", "input_tokens" bigint, "output_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "reasoning_tokens" bigint, "usage" text collate "C" not null, "usage_reason" text collate "C", "cost_nano" bigint, "cost_source" text collate "C" not null, "price_list" text collate "C", "provider_request_id" text collate "C", "request_bytes" bigint not null, "response_bytes" bigint not null, "first_byte_ms" double precision, "duration_ms" double precision);
--
create index call_record_by_time on call_record (organization, started_at_ms, sequence);
--
create index call_record_by_run on call_record (organization, run, started_at_ms, sequence) where run is not null;
