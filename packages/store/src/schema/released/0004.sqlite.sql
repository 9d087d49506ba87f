create table "baseline" ("number" integer primary key, "id" text not null unique, "organization" text not null references "organization" ("id"), "key_hash" text unique, "key_prefix" text not null, "key_version" integer not null, "sealed" blob, "created_at_ms" integer not null, "first_day_ms" integer, "retired_at_ms" integer, "replaced_at_ms" integer, "erased_at_ms" integer) strict;
--
create unique index baseline_current on baseline (organization) where replaced_at_ms is null;
--
create table "tap_event" ("baseline" integer not null, "request_id" text not null, "at_ms" integer not null, "provider" text not null, "model" text not null, "tag" text not null, "input_tokens" integer not null, "output_tokens" integer not null, "cached_tokens" integer not null, "stop_reason" text not null, "tool_calls" integer not null, "status" integer not null, "retries" integer not null, "latency_ms" integer not null, "requests_limit" integer, "requests_remaining" integer, "tokens_limit" integer, "tokens_remaining" integer) strict;
--
create unique index "tap_event_once" on "tap_event" ("baseline", "request_id");
--
create table "tap_cell" ("baseline" integer not null, "day_ms" integer not null, "provider" text not null, "model" text not null, "tag" text not null, "band" integer not null, "calls" integer not null, "input_tokens" integer not null, "output_tokens" integer not null, "cached_tokens" integer not null, "fresh_tokens" integer not null, "tool_calls" integer not null, "retries" integer not null, "failures" integer not null, "rate_limited" integer not null, "server_errors" integer not null, "no_response" integer not null, "stop_stop" integer not null, "stop_length" integer not null, "stop_tool_calls" integer not null, "stop_content_filter" integer not null, "stop_error" integer not null, "stop_other" integer not null, constraint "tap_cell_pk" primary key ("baseline", "day_ms", "provider", "model", "tag", "band")) strict, without rowid;
--
create table "tap_latency" ("baseline" integer not null, "part" text not null, "counts" text not null, constraint "tap_latency_pk" primary key ("baseline", "part")) strict, without rowid;
--
create table "tap_headroom" ("baseline" integer not null, "provider" text not null, "model" text not null, "kind" text not null, "most" integer not null, "remaining" integer not null, "at_ms" integer not null, constraint "tap_headroom_pk" primary key ("baseline", "provider", "model", "kind")) strict, without rowid;
--
create table "declared_figure" ("baseline" integer not null, "name" text not null, "amount_nano" integer not null, "at_ms" integer not null, constraint "declared_figure_pk" primary key ("baseline", "name")) strict;
