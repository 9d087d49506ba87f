create table "call_correction" ("sequence" bigint not null primary key, "organization" text collate "C" not null, "started_at_ms" bigint not null, "recorded_nano" bigint, "cost_nano" bigint not null, "cost_gaps" text collate "C", "price_list" text collate "C" not null, "corrected_at_ms" bigint not null);
--
create index call_correction_by_time on call_correction (organization, started_at_ms, sequence);
