create table "gateway_node" ("id" text not null primary key, "home" text not null, "started_at_ms" integer not null, "heard_at_ms" integer not null, "freed" integer not null) strict;
--
create table "spend_lease" ("organization" text not null, "scope" text not null, "subject" text not null, "window" text not null, "start_ms" integer not null, "node" text not null, "granted_nano" integer not null, "shipped_nano" integer not null, "limit_nano" integer, "claim" integer not null, "short_at_ms" integer not null, constraint "spend_lease_pk" primary key ("organization", "scope", "subject", "window", "start_ms", "node")) strict;
--
create index spend_lease_by_node on spend_lease (node);
--
create table "lease_feed" ("only" integer primary key check ("only" = 1), "value" integer not null) strict;
--
insert into "lease_feed" ("only", "value") values (1, 0);
