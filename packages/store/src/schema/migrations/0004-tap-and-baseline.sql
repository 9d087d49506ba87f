-- The Baseline, its tap key, tap events, and the sums that its report is read from.
-- `baseline.number` stands for it in the tables that grow: a short key, since every event carries it. The tap key is here as its SHA-256 (null once
-- erased), its first characters, and sealed until it is read. One Baseline of an organization is current. `tap_event` keeps every event once: the
-- unique key is what makes a repeated `request_id` nothing, also at the same instant from two connections. The sums are written in the transaction
-- that stores the events, so they always equal them.
-- On SQLite rows lie in the order of their key: a report reads its Baseline's from one end to the other.
--
create table "baseline" ("number" {identity}, "id" {text} not null unique, "organization" {text} not null references "organization" ("id"),
  "key_hash" {text} unique, "key_prefix" {text} not null, "key_version" {whole} not null, "sealed" {bytes}, "created_at_ms" {whole} not null,
  "first_day_ms" {whole}, "retired_at_ms" {whole}, "replaced_at_ms" {whole}, "erased_at_ms" {whole}) {strict}
--
create unique index baseline_current on baseline (organization) where replaced_at_ms is null
--
create table "tap_event" ("baseline" {whole} not null, "request_id" {text} not null, "at_ms" {whole} not null, "provider" {text} not null, "model"
  {text} not null, "tag" {text} not null, "input_tokens" {whole} not null, "output_tokens" {whole} not null, "cached_tokens" {whole} not null,
  "stop_reason" {text} not null, "tool_calls" {whole} not null, "status" {whole} not null, "retries" {whole} not null, "latency_ms" {whole} not
  null, "requests_limit" {whole}, "requests_remaining" {whole}, "tokens_limit" {whole}, "tokens_remaining" {whole}) {strict}
--
create unique index "tap_event_once" on "tap_event" ("baseline", "request_id")
--
create table "tap_cell" ("baseline" {whole} not null, "day_ms" {whole} not null, "provider" {text} not null, "model" {text} not null, "tag" {text}
  not null, "band" {whole} not null, "calls" {whole} not null, "input_tokens" {whole} not null, "output_tokens" {whole} not null, "cached_tokens"
  {whole} not null, "fresh_tokens" {whole} not null, "tool_calls" {whole} not null, "retries" {whole} not null, "failures" {whole} not null,
  "rate_limited" {whole} not null, "server_errors" {whole} not null, "no_response" {whole} not null, "stop_stop" {whole} not null, "stop_length"
  {whole} not null, "stop_tool_calls" {whole} not null, "stop_content_filter" {whole} not null, "stop_error" {whole} not null, "stop_other" {whole}
  not null, constraint "tap_cell_pk" primary key ("baseline", "day_ms", "provider", "model", "tag", "band")) {clustered}
--
create table "tap_latency" ("baseline" {whole} not null, "part" {text} not null, "counts" {text} not null, constraint "tap_latency_pk" primary key
  ("baseline", "part")) {clustered}
--
create table "tap_headroom" ("baseline" {whole} not null, "provider" {text} not null, "model" {text} not null, "kind" {text} not null, "most"
  {whole} not null, "remaining" {whole} not null, "at_ms" {whole} not null, constraint "tap_headroom_pk" primary key ("baseline", "provider",
  "model", "kind")) {clustered}
--
create table "declared_figure" ("baseline" {whole} not null, "name" {text} not null, "amount_nano" {whole} not null, "at_ms" {whole} not null,
  constraint "declared_figure_pk" primary key ("baseline", "name")) {strict}
