create table "person" ("id" text collate "C" not null primary key, "email" text collate "C" not null unique, "name" text collate "C" not null, "email_verified" bigint not null, "image" text collate "C", "created_at_ms" bigint not null, "updated_at_ms" bigint not null);
--
create table "person_credential" ("id" text collate "C" not null primary key, "person" text collate "C" not null references "person" ("id") on delete cascade, "provider" text collate "C" not null, "account" text collate "C" not null, "password_hash" text collate "C", "created_at_ms" bigint not null, "updated_at_ms" bigint not null, constraint "person_credential_once" unique ("person", "provider"));
--
create table "person_session" ("id" text collate "C" not null primary key, "person" text collate "C" not null references "person" ("id") on delete cascade, "token_hash" text collate "C" not null unique, "organization" text collate "C" references "organization" ("id"), "ip_address" text collate "C", "user_agent" text collate "C", "expires_at_ms" bigint not null, "created_at_ms" bigint not null, "updated_at_ms" bigint not null);
--
create index "person_session_by_person" on "person_session" ("person");
--
create table "membership" ("organization" text collate "C" not null references "organization" ("id"), "person" text collate "C" not null references "person" ("id") on delete cascade, "role" text collate "C" not null, "created_at_ms" bigint not null, constraint "membership_pk" primary key ("organization", "person"));
--
create index "membership_by_person" on "membership" ("person");
--
create table "invitation" ("id" text collate "C" not null primary key, "organization" text collate "C" not null references "organization" ("id"), "email" text collate "C", "role" text collate "C" not null, "token_hash" text collate "C" not null unique, "invited_by" text collate "C", "created_at_ms" bigint not null, "expires_at_ms" bigint not null, "accepted_at_ms" bigint, "withdrawn_at_ms" bigint);
--
create index "invitation_by_organization" on "invitation" ("organization", "created_at_ms");
--
create table "management_token" ("id" text collate "C" not null primary key, "organization" text collate "C" not null references "organization" ("id"), "hash" text collate "C" not null unique, "prefix" text collate "C" not null, "name" text collate "C", "role" text collate "C" not null, "made_by_person" text collate "C", "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint);
--
create index "management_token_by_organization" on "management_token" ("organization", "created_at_ms");
--
create table "audit_event" ("sequence" bigint generated always as identity primary key, "id" text collate "C" not null unique, "organization" text collate "C", "at_ms" bigint not null, "actor_kind" text collate "C" not null, "actor_id" text collate "C", "action" text collate "C" not null, "subject" text collate "C", "detail" text collate "C" not null);
--
create index "audit_event_by_organization" on "audit_event" ("organization", "sequence");
--
create table "erased_organization" ("organization" text collate "C" not null primary key references "organization" ("id"), "at_ms" bigint not null, "done_ms" bigint not null, "done_sequence" bigint not null, "finished" bigint not null);
--
create table "master_key_handover" ("from_key" text collate "C" not null primary key, "sealed" bytea not null, "until_ms" bigint not null);
