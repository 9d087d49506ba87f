create table "refusal_hour" ("organization" text collate "C" not null, "hour_ms" bigint not null, "key" text collate "C" not null, "code" text collate "C" not null, "scope" text collate "C" not null, "window" text collate "C" not null, "refusals" bigint not null, constraint "refusal_hour_once" primary key ("organization", "hour_ms", "key", "code", "scope", "window"));
--
create index refusal_hour_by_hour on refusal_hour (hour_ms);
--
create table "node_report" ("home" text collate "C" not null primary key, "node" text collate "C" not null, "at_ms" bigint not null, "report" text collate "C" not null);
--
create table "home_organization" ("only" bigint not null primary key, "organization" text collate "C" not null);
--
insert into home_organization ("only", organization)
    select 1, id from organization order by created_at_ms, id limit 1;
--
create table "saved_view" ("id" text collate "C" not null primary key, "organization" text collate "C" not null, "person" text collate "C" not null, "name" text collate "C" not null, "query" text collate "C" not null, "saved_at_ms" bigint not null, constraint "saved_view_once" unique ("organization", "person", "name"));
