alter table "call_record" add column "session" text collate "C";
