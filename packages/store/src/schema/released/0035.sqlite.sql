alter table "organization" add column "unmetered_deferred" text;
--
alter table "organization" add column "unmetered_unreported" text;
--
alter table "organization" add column "unmetered_handed_out" text;
