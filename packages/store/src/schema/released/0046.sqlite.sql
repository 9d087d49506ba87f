create table "closed_month" ("organization" text not null, "month_ms" integer not null, "version" integer not null, "closed_at_ms" integer not null, "reopened_at_ms" integer, "sequence" integer not null, "hash" blob not null, "digest" blob not null, "key" text not null, "signature" blob not null, constraint "closed_month_once" primary key ("organization", "month_ms", "version")) strict;
--
create table "closed_month_part" ("organization" text not null, "month_ms" integer not null, "version" integer not null, "number" integer not null, "type" text not null, "content" text not null, constraint "closed_month_part_once" primary key ("organization", "month_ms", "version", "number")) strict;
--
create table "closed_month_name" ("organization" text not null, "month_ms" integer not null, "version" integer not null, "number" integer not null, "digest" text not null, "salt" text, "text" text, constraint "closed_month_name_once" primary key ("organization", "month_ms", "version", "number")) strict;
--
alter table "node_report" add column "settled" integer default 0 not null;
