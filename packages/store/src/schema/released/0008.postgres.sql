alter table "audit_event" add column "actor_name" text collate "C";
--
create table "platform_address" ("only" bigint primary key check ("only" = 1), "url" text collate "C" not null);
