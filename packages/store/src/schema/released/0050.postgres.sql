alter table "call_correction" add column "counted_nano" bigint default 0 not null;
--
create table "corrected_spend" ("number" bigint not null primary key, "organization" text collate "C" not null, "key" text collate "C" not null, "day_ms" bigint not null, "amount_nano" bigint not null, "at_ms" bigint not null);
