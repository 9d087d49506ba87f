-- Whether the platform asks by itself what became of an organization's work that is billed later; null: it does not.
--
alter table "organization" add column "follow" {whole}
