create table "gateway_node" ("id" text collate "C" not null primary key, "home" text collate "C" not null, "started_at_ms" bigint not null, "heard_at_ms" bigint not null, "freed" bigint not null);
--
create table "spend_lease" ("organization" text collate "C" not null, "scope" text collate "C" not null, "subject" text collate "C" not null, "window" text collate "C" not null, "start_ms" bigint not null, "node" text collate "C" not null, "granted_nano" bigint not null, "shipped_nano" bigint not null, "limit_nano" bigint, "claim" bigint not null, "short_at_ms" bigint not null, constraint "spend_lease_pk" primary key ("organization", "scope", "subject", "window", "start_ms", "node"));
--
create index spend_lease_by_node on spend_lease (node);
--
create table "lease_feed" ("only" bigint primary key check ("only" = 1), "value" bigint not null);
--
insert into "lease_feed" ("only", "value") values (1, 0);
