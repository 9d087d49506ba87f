-- The models that may be asked for, as patterns in a JSON array; null: all.
--
alter table "organization" add column "models" {text}
--
alter table "service_key" add column "models" {text}
