alter table "organization" add column "own_keys" text;
--
create table "machine_sign_in" ("id" text not null primary key, "challenge" text not null, "machine" text not null, "address" text not null, "user_code" text unique, "port" integer, "created_at_ms" integer not null, "expires_at_ms" integer not null, "state" text not null, "organization" text, "person" text, "code_hash" text) strict;
--
create index machine_sign_in_by_end on machine_sign_in (expires_at_ms);
