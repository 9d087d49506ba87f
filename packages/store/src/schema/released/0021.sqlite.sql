alter table "membership" add column "provided_by" text;
--
create unique index person_credential_by_account on person_credential (provider, account);
