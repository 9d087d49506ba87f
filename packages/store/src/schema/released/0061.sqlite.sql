create table "cell" ("number" integer not null primary key, "name" text not null unique, "schema" text not null, "state" text not null, "added_at_ms" integer not null) strict;
--
create table "organization_place" ("organization" text not null primary key, "cell" integer not null, "ready" integer not null) strict;
--
create table "key_place" ("hash" text not null primary key, "organization" text not null) strict;
--
create index key_place_by_organization on key_place (organization);
