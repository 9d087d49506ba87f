-- People whom an identity provider knows: a credential is found by its provider and account, which name one person, and a membership says whose
-- word it rests on.
--
alter table "membership" add column "provided_by" {text}
--
create unique index person_credential_by_account on person_credential (provider, account)
