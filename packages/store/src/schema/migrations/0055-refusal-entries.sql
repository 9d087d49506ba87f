-- Single refused calls, kept for days. Decision 159.
--
create table "refusal_entry" ("organization" {text} not null, "id" {text} not null, "answer_id" {text} not null, "at_ms" {whole} not null, "key"
  {text} not null, "run" {text} not null, "code" {text} not null, "scope" {text} not null, "window" {text} not null, constraint "refusal_entry_once"
  primary key ("organization", "id")) {strict}
--
create index refusal_entry_by_answer on refusal_entry (organization, answer_id)
--
create index refusal_entry_by_time on refusal_entry (organization, at_ms, id)
--
create index refusal_entry_by_key on refusal_entry (organization, key, at_ms, id)
--
create index refusal_entry_by_age on refusal_entry (at_ms)
