alter table "service_key" add column "disabled_at_ms" bigint;
--
alter table "service_key" add column "last_used_at_ms" bigint;
--
create table "service_key_former" ("hash" text collate "C" not null primary key, "key" text collate "C" not null, "until_ms" bigint not null);
--
create index service_key_former_by_key on service_key_former (key);
--
create table "password_link" ("token_hash" text collate "C" not null primary key, "person" text collate "C" not null references "person" ("id") on delete cascade, "expires_at_ms" bigint not null);
--
create index password_link_by_person on password_link (person);
