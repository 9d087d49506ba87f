create table "metergate_schema" ("only" integer primary key check ("only" = 1), "version" integer not null) strict;
--
create table "store_identity" ("only" integer primary key check ("only" = 1), "salt" blob not null, "fingerprint" text not null) strict;
--
create table "revision" ("only" integer primary key check ("only" = 1), "value" integer not null) strict;
--
insert into "revision" ("only", "value") values (1, 0);
--
create table "organization" ("id" text not null primary key, "name" text not null unique, "plan" text not null, "drain_seconds" integer, "fallback_input_nano" integer, "fallback_output_nano" integer, "created_at_ms" integer not null, "revision" integer not null) strict;
--
create index "organization_by_revision" on "organization" ("revision");
--
create table "organization_data_key" ("organization" text not null references "organization" ("id"), "wrapped" blob not null, "wrapped_by" text not null, constraint "organization_data_key_pk" primary key ("organization")) strict;
--
create table "service_key" ("id" text not null primary key, "organization" text not null references "organization" ("id"), "hash" text not null unique, "prefix" text not null, "name" text, "project" text, "created_at_ms" integer not null, "expires_at_ms" integer, "revoked_at_ms" integer) strict;
--
create index "service_key_by_organization" on "service_key" ("organization", "created_at_ms");
--
create table "provider_connection" ("organization" text not null references "organization" ("id"), "provider" text not null, "sealed" blob not null, "version" integer not null, constraint "provider_connection_pk" primary key ("organization", "provider")) strict;
--
create table "declared_upstream" ("organization" text not null references "organization" ("id"), "url" text not null, "enabled" integer not null, "sealed" blob, "version" integer not null, constraint "declared_upstream_pk" primary key ("organization")) strict;
--
create table "price_overlay" ("only" integer primary key check ("only" = 1), "json" text not null, "revision" integer not null) strict;
--
create table "journal_segment" ("id" text not null primary key, "mark" integer not null) strict;
--
create table "call_record" ("sequence" integer primary key, "id" text not null, "organization" text not null, "key" text not null, "project" text, "labels" text, "labels_dropped" integer not null, "run" text, "wire" text not null, "endpoint" text not null, "method" text not null, "path" text not null, "started_at_ms" integer not null, "node" text not null, "streamed" integer not null, "status" integer, "outcome" text not null, "model" text, "finish_reason" text, "input_tokens" integer, "output_tokens" integer, "cached_tokens" integer, "cache_write_tokens" integer, "reasoning_tokens" integer, "usage" text not null, "usage_reason" text, "cost_nano" integer, "cost_source" text not null, "price_list" text, "provider_request_id" text, "request_bytes" integer not null, "response_bytes" integer not null, "first_byte_ms" real, "duration_ms" real) strict;
--
create index call_record_by_time on call_record (organization, started_at_ms);
--
create index call_record_by_run on call_record (organization, run, started_at_ms) where run is not null;
