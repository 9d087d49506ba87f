alter table "service_key" add column "person" text collate "C";
--
create index service_key_by_person on service_key (person) where person is not null;
