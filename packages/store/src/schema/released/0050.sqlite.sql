alter table "call_correction" add column "counted_nano" integer default 0 not null;
--
create table "corrected_spend" ("number" integer not null primary key, "organization" text not null, "key" text not null, "day_ms" integer not null, "amount_nano" integer not null, "at_ms" integer not null) strict;
