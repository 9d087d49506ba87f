alter table "organization" add column "follow" integer;
