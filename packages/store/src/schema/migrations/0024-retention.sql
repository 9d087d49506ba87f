-- Records that go after an age (decision 0032): how long an organization keeps them, and how far removal has come.
-- A chain of receipts that lost its beginning names the last record that is gone, signed. Sums of spend say how much of them stands for records
-- that are gone: what was spent stays spent. A run that is alive remembers which key began it. Tap events are found by their time through an index,
-- which PostgreSQL builds late (`late-indexes.ts`).
--
alter table "organization" add column "keep_records_days" {whole}
--
alter table "receipt_chain" add column "pruned_last" {whole}
--
alter table "receipt_chain" add column "pruned_hash" {bytes}
--
alter table "receipt_chain" add column "pruned_key" {text}
--
alter table "receipt_chain" add column "pruned_at_ms" {whole}
--
alter table "receipt_chain" add column "pruned_signature" {bytes}
--
alter table "spend_sum" add column "gone_nano" {whole} default 0 not null
--
alter table "spend_sum" add column "gone_calls" {whole} default 0 not null
--
alter table "spend_sum" add column "gone_unknown_calls" {whole} default 0 not null
--
alter table "spend_sum" add column "gone_gap_calls" {whole} default 0 not null
--
alter table "run" add column "began_by" {text}
--
alter table "baseline" add column "gone_before_ms" {whole}
--
create table "retention" ("organization" {text} not null primary key, "gone_before_ms" {whole}, "receipt_through" {whole} not null,
  "removed_records" {whole} not null, "removed_events" {whole} not null, "at_ms" {whole} not null) {strict}
-- sqlite only
create index tap_event_by_time on tap_event (baseline, at_ms)
