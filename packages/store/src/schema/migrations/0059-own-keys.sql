-- What members may do about keys of their own, and the sign-ins by which a machine gets one. Decisions 195 and 196.
--
alter table "organization" add column "own_keys" {text}
--
create table "machine_sign_in" ("id" {text} not null primary key, "challenge" {text} not null, "machine" {text} not null, "address" {text} not null,
  "user_code" {text} unique, "port" {whole}, "created_at_ms" {whole} not null, "expires_at_ms" {whole} not null, "state" {text} not null,
  "organization" {text}, "person" {text}, "code_hash" {text}) {strict}
--
create index machine_sign_in_by_end on machine_sign_in (expires_at_ms)
