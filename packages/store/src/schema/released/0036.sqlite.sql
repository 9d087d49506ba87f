alter table "call_record" add column "transport" text;
--
alter table "call_record" add column "connection" text;
