create table "run_feed" ("only" integer primary key check ("only" = 1), "value" integer not null) strict;
--
insert into "run_feed" ("only", "value") values (1, 0);
--
create table "run_exposure" ("organization" text not null primary key, "taken_nano" text not null) strict;
--
create table "run" ("organization" text not null, "id" text not null, "state" text not null, "declared_nano" integer, "effective_nano" integer, "clamp_reason" text, "spent_nano" integer not null, "unknown_calls" integer not null, "started_at_ms" integer not null, "expires_at_ms" integer, "ended_at_ms" integer, "confirmed" integer not null, "last_call_at_ms" integer not null, "change" integer not null, constraint "run_pk" primary key ("organization", "id")) strict;
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
create table "grant_key" ("id" text not null primary key, "organization" text not null unique references "organization" ("id"), "public_key" text not null, "sealed" blob not null, "created_at_ms" integer not null) strict;
