create table "run_feed" ("only" bigint primary key check ("only" = 1), "value" bigint not null);
--
insert into "run_feed" ("only", "value") values (1, 0);
--
create table "run_exposure" ("organization" text collate "C" not null primary key, "taken_nano" text collate "C" not null);
--
create table "run" ("organization" text collate "C" not null, "id" text collate "C" not null, "state" text collate "C" not null, "declared_nano" bigint, "effective_nano" bigint, "clamp_reason" text collate "C", "spent_nano" bigint not null, "unknown_calls" bigint not null, "started_at_ms" bigint not null, "expires_at_ms" bigint, "ended_at_ms" bigint, "confirmed" bigint not null, "last_call_at_ms" bigint not null, "change" bigint not null, constraint "run_pk" primary key ("organization", "id"));
--
create index run_by_start on run (organization, started_at_ms, id);
--
create index run_by_change on run (change) where change > 0;
--
create index run_unconfirmed on run (started_at_ms) where state = 'live' and confirmed = 0;
--
create index run_expiring on run (expires_at_ms) where state = 'live' and expires_at_ms is not null;
--
create index run_idle on run (last_call_at_ms) where state = 'live' and expires_at_ms is null;
--
create table "grant_key" ("id" text collate "C" not null primary key, "organization" text collate "C" not null unique references "organization" ("id"), "public_key" text collate "C" not null, "sealed" bytea not null, "created_at_ms" bigint not null);
