create table "closed_month" ("organization" text collate "C" not null, "month_ms" bigint not null, "version" bigint not null, "closed_at_ms" bigint not null, "reopened_at_ms" bigint, "sequence" bigint not null, "hash" bytea not null, "digest" bytea not null, "key" text collate "C" not null, "signature" bytea not null, constraint "closed_month_once" primary key ("organization", "month_ms", "version"));
--
create table "closed_month_part" ("organization" text collate "C" not null, "month_ms" bigint not null, "version" bigint not null, "number" bigint not null, "type" text collate "C" not null, "content" text collate "C" not null, constraint "closed_month_part_once" primary key ("organization", "month_ms", "version", "number"));
--
create table "closed_month_name" ("organization" text collate "C" not null, "month_ms" bigint not null, "version" bigint not null, "number" bigint not null, "digest" text collate "C" not null, "salt" text collate "C", "text" text collate "C", constraint "closed_month_name_once" primary key ("organization", "month_ms", "version", "number"));
--
alter table "node_report" add column "settled" bigint default 0 not null;
