-- What an organization says of calls whose caller hides what they use; null: it allows them. Whoever refuses work whose usage is never reported
-- refuses that too, until they say otherwise. Decision 322.
--
alter table "organization" add column "unmetered_hidden" {text}
--
update organization set unmetered_hidden = unmetered_unreported where unmetered_unreported is not null
