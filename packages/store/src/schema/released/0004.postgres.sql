create table "baseline" ("number" bigint generated always as identity primary key, "id" text collate "C" not null unique, "organization" text collate "C" not null references "organization" ("id"), "key_hash" text collate "C" unique, "key_prefix" text collate "C" not null, "key_version" bigint not null, "sealed" bytea, "created_at_ms" bigint not null, "first_day_ms" bigint, "retired_at_ms" bigint, "replaced_at_ms" bigint, "erased_at_ms" bigint);
--
create unique index baseline_current on baseline (organization) where replaced_at_ms is null;
--
create table "tap_event" ("baseline" bigint not null, "request_id" text collate "C" not null, "at_ms" bigint not null, "provider" text collate "C" not null, "model" text collate "C" not null, "tag" text collate "C" not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cached_tokens" bigint not null, "stop_reason" text collate "C" not null, "tool_calls" bigint not null, "status" bigint not null, "retries" bigint not null, "latency_ms" bigint not null, "requests_limit" bigint, "requests_remaining" bigint, "tokens_limit" bigint, "tokens_remaining" bigint);
--
create unique index "tap_event_once" on "tap_event" ("baseline", "request_id");
--
create table "tap_cell" ("baseline" bigint not null, "day_ms" bigint not null, "provider" text collate "C" not null, "model" text collate "C" not null, "tag" text collate "C" not null, "band" bigint not null, "calls" bigint not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cached_tokens" bigint not null, "fresh_tokens" bigint not null, "tool_calls" bigint not null, "retries" bigint not null, "failures" bigint not null, "rate_limited" bigint not null, "server_errors" bigint not null, "no_response" bigint not null, "stop_stop" bigint not null, "stop_length" bigint not null, "stop_tool_calls" bigint not null, "stop_content_filter" bigint not null, "stop_error" bigint not null, "stop_other" bigint not null, constraint "tap_cell_pk" primary key ("baseline", "day_ms", "provider", "model", "tag", "band"));
--
create table "tap_latency" ("baseline" bigint not null, "part" text collate "C" not null, "counts" text collate "C" not null, constraint "tap_latency_pk" primary key ("baseline", "part"));
--
create table "tap_headroom" ("baseline" bigint not null, "provider" text collate "C" not null, "model" text collate "C" not null, "kind" text collate "C" not null, "most" bigint not null, "remaining" bigint not null, "at_ms" bigint not null, constraint "tap_headroom_pk" primary key ("baseline", "provider", "model", "kind"));
--
create table "declared_figure" ("baseline" bigint not null, "name" text collate "C" not null, "amount_nano" bigint not null, "at_ms" bigint not null, constraint "declared_figure_pk" primary key ("baseline", "name"));
