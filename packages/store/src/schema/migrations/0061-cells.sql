-- Where an organization is, if not here: the cells of a PostgreSQL store. Decision 210.
--
create table "cell" ("number" {whole} not null primary key, "name" {text} not null unique, "schema" {text} not null, "state" {text} not null,
  "added_at_ms" {whole} not null) {strict}
--
create table "organization_place" ("organization" {text} not null primary key, "cell" {whole} not null, "ready" {whole} not null) {strict}
--
create table "key_place" ("hash" {text} not null primary key, "organization" {text} not null) {strict}
--
create index key_place_by_organization on key_place (organization)
