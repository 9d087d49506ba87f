alter table "call_record" add column "transport" text collate "C";
--
alter table "call_record" add column "connection" text collate "C";
