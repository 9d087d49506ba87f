create table "call_correction" ("sequence" integer not null primary key, "organization" text not null, "started_at_ms" integer not null, "recorded_nano" integer, "cost_nano" integer not null, "cost_gaps" text, "price_list" text not null, "corrected_at_ms" integer not null) strict;
--
create index call_correction_by_time on call_correction (organization, started_at_ms, sequence);
