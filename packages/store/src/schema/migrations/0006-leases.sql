-- Gateway nodes on a shared store, what each may spend of a capped sum or a run, and a feed of what all should confirm.
-- `spend_lease` has a row for each node and subject in which calls of the node ended or a lease was asked for. Its totals grow from the node's
-- beginning: `shipped_nano` with the records, in their transaction, `granted_nano` with each grant. What is leased is what `granted_nano` has above
-- `shipped_nano`. On the embedded store these tables stay empty: its node is the authority.
--
create table "gateway_node" ("id" {text} not null primary key, "home" {text} not null, "started_at_ms" {whole} not null, "heard_at_ms" {whole} not
  null, "freed" {whole} not null) {strict}
--
create table "spend_lease" ("organization" {text} not null, "scope" {text} not null, "subject" {text} not null, "window" {text} not null, "start_ms"
  {whole} not null, "node" {text} not null, "granted_nano" {whole} not null, "shipped_nano" {whole} not null, "limit_nano" {whole}, "claim" {whole}
  not null, "short_at_ms" {whole} not null, constraint "spend_lease_pk" primary key ("organization", "scope", "subject", "window", "start_ms",
  "node")) {strict}
--
create index spend_lease_by_node on spend_lease (node)
--
create table "lease_feed" ("only" {whole} primary key check ("only" = 1), "value" {whole} not null) {strict}
--
insert into "lease_feed" ("only", "value") values (1, 0)
