alter table "organization" add column "keep_records_days" bigint;
--
alter table "receipt_chain" add column "pruned_last" bigint;
--
alter table "receipt_chain" add column "pruned_hash" bytea;
--
alter table "receipt_chain" add column "pruned_key" text collate "C";
--
alter table "receipt_chain" add column "pruned_at_ms" bigint;
--
alter table "receipt_chain" add column "pruned_signature" bytea;
--
alter table "spend_sum" add column "gone_nano" bigint default 0 not null;
--
alter table "spend_sum" add column "gone_calls" bigint default 0 not null;
--
alter table "spend_sum" add column "gone_unknown_calls" bigint default 0 not null;
--
alter table "spend_sum" add column "gone_gap_calls" bigint default 0 not null;
--
alter table "run" add column "began_by" text collate "C";
--
alter table "baseline" add column "gone_before_ms" bigint;
--
create table "retention" ("organization" text collate "C" not null primary key, "gone_before_ms" bigint, "receipt_through" bigint not null, "removed_records" bigint not null, "removed_events" bigint not null, "at_ms" bigint not null);
