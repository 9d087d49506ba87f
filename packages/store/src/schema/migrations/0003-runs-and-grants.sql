-- Runs, what they take of their organization's exposure, the feed of their changes, and the keys that sign run-budget grants.
-- `run` keeps every run for good: an id that has ended is never used again. The indexes for sweeping hold live runs only, so they stay small. No
-- reference to the organization: a run outlives it, as its records do. `run_exposure` is the one row that creating, spending, tightening and ending
-- runs of an organization take turns on. What is taken is kept as decimal text: budgets may each be as large as 64 bits hold, and their sum larger.
--
create table "run_feed" ("only" {whole} primary key check ("only" = 1), "value" {whole} not null) {strict}
--
insert into "run_feed" ("only", "value") values (1, 0)
--
create table "run_exposure" ("organization" {text} not null primary key, "taken_nano" {text} not null) {strict}
--
create table "run" ("organization" {text} not null, "id" {text} not null, "state" {text} not null, "declared_nano" {whole}, "effective_nano"
  {whole}, "clamp_reason" {text}, "spent_nano" {whole} not null, "unknown_calls" {whole} not null, "started_at_ms" {whole} not null, "expires_at_ms"
  {whole}, "ended_at_ms" {whole}, "confirmed" {whole} not null, "last_call_at_ms" {whole} not null, "change" {whole} not null, constraint "run_pk"
  primary key ("organization", "id")) {strict}
--
create index run_by_start on run (organization, started_at_ms, id)
--
create index run_by_change on run (change) where change > 0
--
create index run_unconfirmed on run (started_at_ms) where state = 'live' and confirmed = 0
--
create index run_expiring on run (expires_at_ms) where state = 'live' and expires_at_ms is not null
--
create index run_idle on run (last_call_at_ms) where state = 'live' and expires_at_ms is null
--
create table "grant_key" ("id" {text} not null primary key, "organization" {text} not null unique references "organization" ("id"), "public_key"
  {text} not null, "sealed" {bytes} not null, "created_at_ms" {whole} not null) {strict}
