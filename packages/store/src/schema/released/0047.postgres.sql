alter table "organization" add column "follow" bigint;
