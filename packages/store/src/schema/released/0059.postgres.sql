alter table "organization" add column "own_keys" text collate "C";
--
create table "machine_sign_in" ("id" text collate "C" not null primary key, "challenge" text collate "C" not null, "machine" text collate "C" not null, "address" text collate "C" not null, "user_code" text collate "C" unique, "port" bigint, "created_at_ms" bigint not null, "expires_at_ms" bigint not null, "state" text collate "C" not null, "organization" text collate "C", "person" text collate "C", "code_hash" text collate "C");
--
create index machine_sign_in_by_end on machine_sign_in (expires_at_ms);
