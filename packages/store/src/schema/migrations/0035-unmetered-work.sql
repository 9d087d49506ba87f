-- What an organization says of work whose cost is not known at its end, for each kind; null: it allows it.
--
alter table "organization" add column "unmetered_deferred" {text}
--
alter table "organization" add column "unmetered_unreported" {text}
--
alter table "organization" add column "unmetered_handed_out" {text}
