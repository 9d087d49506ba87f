alter table "organization" add column "models" text;
--
alter table "service_key" add column "models" text;
