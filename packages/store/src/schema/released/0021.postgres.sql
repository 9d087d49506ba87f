alter table "membership" add column "provided_by" text collate "C";
--
create unique index person_credential_by_account on person_credential (provider, account);
