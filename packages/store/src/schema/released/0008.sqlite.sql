alter table "audit_event" add column "actor_name" text;
--
create table "platform_address" ("only" integer primary key check ("only" = 1), "url" text not null) strict;
