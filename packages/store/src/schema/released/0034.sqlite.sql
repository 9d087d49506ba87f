alter table "call_record" add column "requested_model" text;
--
alter table "call_record" add column "units" text;
--
alter table "call_record" add column "priced_by" text;
