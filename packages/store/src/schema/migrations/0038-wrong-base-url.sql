-- What becomes of calls that were meant for the second provider and would go to the first; null: they are forwarded.
--
alter table "organization" add column "wrong_base_url" {text}
