-- Accounts, members, management tokens and the audit trail; which organizations are erased; the master key's hand-over. No secret lies here as it
-- was given: passwords as scrypt hashes, sessions, invitations and tokens as SHA-256, the handed-over master key sealed. An audit row has no
-- reference to its organization: it outlives it.
--
create table "person" ("id" {text} not null primary key, "email" {text} not null unique, "name" {text} not null, "email_verified" {whole} not null,
  "image" {text}, "created_at_ms" {whole} not null, "updated_at_ms" {whole} not null) {strict}
--
create table "person_credential" ("id" {text} not null primary key, "person" {text} not null references "person" ("id") on delete cascade,
  "provider" {text} not null, "account" {text} not null, "password_hash" {text}, "created_at_ms" {whole} not null, "updated_at_ms" {whole} not null,
  constraint "person_credential_once" unique ("person", "provider")) {strict}
--
create table "person_session" ("id" {text} not null primary key, "person" {text} not null references "person" ("id") on delete cascade, "token_hash"
  {text} not null unique, "organization" {text} references "organization" ("id"), "ip_address" {text}, "user_agent" {text}, "expires_at_ms" {whole}
  not null, "created_at_ms" {whole} not null, "updated_at_ms" {whole} not null) {strict}
--
create index "person_session_by_person" on "person_session" ("person")
--
create table "membership" ("organization" {text} not null references "organization" ("id"), "person" {text} not null references "person" ("id") on
  delete cascade, "role" {text} not null, "created_at_ms" {whole} not null, constraint "membership_pk" primary key ("organization", "person"))
  {strict}
--
create index "membership_by_person" on "membership" ("person")
--
create table "invitation" ("id" {text} not null primary key, "organization" {text} not null references "organization" ("id"), "email" {text}, "role"
  {text} not null, "token_hash" {text} not null unique, "invited_by" {text}, "created_at_ms" {whole} not null, "expires_at_ms" {whole} not null,
  "accepted_at_ms" {whole}, "withdrawn_at_ms" {whole}) {strict}
--
create index "invitation_by_organization" on "invitation" ("organization", "created_at_ms")
--
create table "management_token" ("id" {text} not null primary key, "organization" {text} not null references "organization" ("id"), "hash" {text}
  not null unique, "prefix" {text} not null, "name" {text}, "role" {text} not null, "made_by_person" {text}, "created_at_ms" {whole} not null,
  "expires_at_ms" {whole}, "revoked_at_ms" {whole}) {strict}
--
create index "management_token_by_organization" on "management_token" ("organization", "created_at_ms")
--
create table "audit_event" ("sequence" {identity}, "id" {text} not null unique, "organization" {text}, "at_ms" {whole} not null, "actor_kind" {text}
  not null, "actor_id" {text}, "action" {text} not null, "subject" {text}, "detail" {text} not null) {strict}
--
create index "audit_event_by_organization" on "audit_event" ("organization", "sequence")
--
create table "erased_organization" ("organization" {text} not null primary key references "organization" ("id"), "at_ms" {whole} not null, "done_ms"
  {whole} not null, "done_sequence" {whole} not null, "finished" {whole} not null) {strict}
--
create table "master_key_handover" ("from_key" {text} not null primary key, "sealed" {bytes} not null, "until_ms" {whole} not null) {strict}
