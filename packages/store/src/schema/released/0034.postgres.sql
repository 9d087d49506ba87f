alter table "call_record" add column "requested_model" text collate "C";
--
alter table "call_record" add column "units" text collate "C";
--
alter table "call_record" add column "priced_by" text collate "C";
