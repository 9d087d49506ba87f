-- Thresholds of caps, what was sent of each cap, webhooks with their deliveries, and leases of work that one platform at a time does.
-- `notice` is what was raised, once for each `dedupe`; `webhook_delivery` is its way to one webhook. Both are kept for thirty days.
--
create table "cap_alert" ("id" {text} not null primary key, "organization" {text} not null, "cap" {text} not null unique, "at" {text} not null)
  {strict}
--
create table "cap_told" ("cap" {text} not null primary key, "organization" {text} not null, "window_start_ms" {whole} not null, "reached" {whole}
  not null, "thresholds" {text} not null) {strict}
--
create table "webhook" ("id" {text} not null primary key, "organization" {text} not null, "url" {text} not null, "events" {text}, "sealed" {bytes}
  not null, "created_at_ms" {whole} not null) {strict}
--
create index webhook_by_organization on webhook (organization, created_at_ms, id)
--
create table "notice" ("id" {text} not null primary key, "organization" {text} not null, "type" {text} not null, "dedupe" {text} not null, "body"
  {text} not null, "at_ms" {whole} not null, constraint "notice_once" unique ("organization", "dedupe")) {strict}
--
create index notice_by_time on notice (at_ms)
--
create table "webhook_delivery" ("id" {text} not null primary key, "organization" {text} not null, "webhook" {text} not null, "notice" {text} not
  null, "state" {text} not null, "attempts" {whole} not null, "created_at_ms" {whole} not null, "next_at_ms" {whole}, "last_at_ms" {whole},
  "last_status" {whole}, "last_error" {text}) {strict}
--
create index webhook_delivery_by_webhook on webhook_delivery (webhook, created_at_ms, id)
--
create index webhook_delivery_due on webhook_delivery (next_at_ms) where next_at_ms is not null
--
create table "work_lease" ("name" {text} not null primary key, "holder" {text} not null, "until_ms" {whole} not null, "cursor" {whole} not null)
  {strict}
