alter table "organization" add column "keep_records_days" integer;
--
alter table "receipt_chain" add column "pruned_last" integer;
--
alter table "receipt_chain" add column "pruned_hash" blob;
--
alter table "receipt_chain" add column "pruned_key" text;
--
alter table "receipt_chain" add column "pruned_at_ms" integer;
--
alter table "receipt_chain" add column "pruned_signature" blob;
--
alter table "spend_sum" add column "gone_nano" integer default 0 not null;
--
alter table "spend_sum" add column "gone_calls" integer default 0 not null;
--
alter table "spend_sum" add column "gone_unknown_calls" integer default 0 not null;
--
alter table "spend_sum" add column "gone_gap_calls" integer default 0 not null;
--
alter table "run" add column "began_by" text;
--
alter table "baseline" add column "gone_before_ms" integer;
--
create table "retention" ("organization" text not null primary key, "gone_before_ms" integer, "receipt_through" integer not null, "removed_records" integer not null, "removed_events" integer not null, "at_ms" integer not null) strict;
--
create index tap_event_by_time on tap_event (baseline, at_ms);
