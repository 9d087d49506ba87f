create table "cell" ("number" bigint not null primary key, "name" text collate "C" not null unique, "schema" text collate "C" not null, "state" text collate "C" not null, "added_at_ms" bigint not null);
--
create table "organization_place" ("organization" text collate "C" not null primary key, "cell" bigint not null, "ready" bigint not null);
--
create table "key_place" ("hash" text collate "C" not null primary key, "organization" text collate "C" not null);
--
create index key_place_by_organization on key_place (organization);
