alter table "organization" add column "unmetered_deferred" text collate "C";
--
alter table "organization" add column "unmetered_unreported" text collate "C";
--
alter table "organization" add column "unmetered_handed_out" text collate "C";
