alter table "organization" add column "models" text collate "C";
--
alter table "service_key" add column "models" text collate "C";
