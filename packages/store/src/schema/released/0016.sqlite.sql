alter table "service_key" add column "disabled_at_ms" integer;
--
alter table "service_key" add column "last_used_at_ms" integer;
--
create table "service_key_former" ("hash" text not null primary key, "key" text not null, "until_ms" integer not null) strict;
--
create index service_key_former_by_key on service_key_former (key);
--
create table "password_link" ("token_hash" text not null primary key, "person" text not null references "person" ("id") on delete cascade, "expires_at_ms" integer not null) strict;
--
create index password_link_by_person on password_link (person);
