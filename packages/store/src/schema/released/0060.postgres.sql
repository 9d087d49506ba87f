alter table "run" add column "lowered" text collate "C";
