create table "cap_alert" ("id" text collate "C" not null primary key, "organization" text collate "C" not null, "cap" text collate "C" not null unique, "at" text collate "C" not null);
--
create table "cap_told" ("cap" text collate "C" not null primary key, "organization" text collate "C" not null, "window_start_ms" bigint not null, "reached" bigint not null, "thresholds" text collate "C" not null);
--
create table "webhook" ("id" text collate "C" not null primary key, "organization" text collate "C" not null, "url" text collate "C" not null, "events" text collate "C", "sealed" bytea not null, "created_at_ms" bigint not null);
--
create index webhook_by_organization on webhook (organization, created_at_ms, id);
--
create table "notice" ("id" text collate "C" not null primary key, "organization" text collate "C" not null, "type" text collate "C" not null, "dedupe" text collate "C" not null, "body" text collate "C" not null, "at_ms" bigint not null, constraint "notice_once" unique ("organization", "dedupe"));
--
create index notice_by_time on notice (at_ms);
--
create table "webhook_delivery" ("id" text collate "C" not null primary key, "organization" text collate "C" not null, "webhook" text collate "C" not null, "notice" text collate "C" not null, "state" text collate "C" not null, "attempts" bigint not null, "created_at_ms" bigint not null, "next_at_ms" bigint, "last_at_ms" bigint, "last_status" bigint, "last_error" text collate "C");
--
create index webhook_delivery_by_webhook on webhook_delivery (webhook, created_at_ms, id);
--
create index webhook_delivery_due on webhook_delivery (next_at_ms) where next_at_ms is not null;
--
create table "work_lease" ("name" text collate "C" not null primary key, "holder" text collate "C" not null, "until_ms" bigint not null, "cursor" bigint not null);
