-- Service keys that are disabled for a while, when each was last used, and what a rotated one was before, for as long as that still works; links
-- that set a person's password.
--
alter table "service_key" add column "disabled_at_ms" {whole}
--
alter table "service_key" add column "last_used_at_ms" {whole}
--
create table "service_key_former" ("hash" {text} not null primary key, "key" {text} not null, "until_ms" {whole} not null) {strict}
--
create index service_key_former_by_key on service_key_former (key)
--
create table "password_link" ("token_hash" {text} not null primary key, "person" {text} not null references "person" ("id") on delete cascade,
  "expires_at_ms" {whole} not null) {strict}
--
create index password_link_by_person on password_link (person)
