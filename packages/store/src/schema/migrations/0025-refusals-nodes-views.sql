-- Refusals counted by hour, what each gateway node last said of itself, the organization whose owners run the machine, and views that people
-- save.
-- The first organization of a store that is older than this becomes the one whose owners run it.
--
create table "refusal_hour" ("organization" {text} not null, "hour_ms" {whole} not null, "key" {text} not null, "code" {text} not null, "scope"
  {text} not null, "window" {text} not null, "refusals" {whole} not null, constraint "refusal_hour_once" primary key ("organization", "hour_ms",
  "key", "code", "scope", "window")) {strict}
--
create index refusal_hour_by_hour on refusal_hour (hour_ms)
--
create table "node_report" ("home" {text} not null primary key, "node" {text} not null, "at_ms" {whole} not null, "report" {text} not null) {strict}
--
create table "home_organization" ("only" {whole} not null primary key, "organization" {text} not null) {strict}
--
insert into home_organization ("only", organization)
    select 1, id from organization order by created_at_ms, id limit 1
--
create table "saved_view" ("id" {text} not null primary key, "organization" {text} not null, "person" {text} not null, "name" {text} not null,
  "query" {text} not null, "saved_at_ms" {whole} not null, constraint "saved_view_once" unique ("organization", "person", "name")) {strict}
