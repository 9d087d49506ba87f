-- Whose key a service key is; null: nobody's in particular.
--
alter table "service_key" add column "person" {text}
--
create index service_key_by_person on service_key (person) where person is not null
