-- Closed months, with the lines and names that were frozen, and whether a node said at its end that all its calls are in the store: the report of
-- one that did not is kept for longer, since a month waits for its calls.
--
create table "closed_month" ("organization" {text} not null, "month_ms" {whole} not null, "version" {whole} not null, "closed_at_ms" {whole} not
  null, "reopened_at_ms" {whole}, "sequence" {whole} not null, "hash" {bytes} not null, "digest" {bytes} not null, "key" {text} not null,
  "signature" {bytes} not null, constraint "closed_month_once" primary key ("organization", "month_ms", "version")) {strict}
--
create table "closed_month_part" ("organization" {text} not null, "month_ms" {whole} not null, "version" {whole} not null, "number" {whole} not
  null, "type" {text} not null, "content" {text} not null, constraint "closed_month_part_once" primary key ("organization", "month_ms", "version",
  "number")) {strict}
--
create table "closed_month_name" ("organization" {text} not null, "month_ms" {whole} not null, "version" {whole} not null, "number" {whole} not
  null, "digest" {text} not null, "salt" {text}, "text" {text}, constraint "closed_month_name_once" primary key ("organization", "month_ms",
  "version", "number")) {strict}
--
alter table "node_report" add column "settled" {whole} default 0 not null
