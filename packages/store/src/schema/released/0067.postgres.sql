alter table "organization" add column "unmetered_hidden" text collate "C";
--
update organization set unmetered_hidden = unmetered_unreported where unmetered_unreported is not null;
