create table "refusal_entry" ("organization" text collate "C" not null, "id" text collate "C" not null, "answer_id" text collate "C" not null, "at_ms" bigint not null, "key" text collate "C" not null, "run" text collate "C" not null, "code" text collate "C" not null, "scope" text collate "C" not null, "window" text collate "C" not null, constraint "refusal_entry_once" primary key ("organization", "id"));
--
create index refusal_entry_by_answer on refusal_entry (organization, answer_id);
--
create index refusal_entry_by_time on refusal_entry (organization, at_ms, id);
--
create index refusal_entry_by_key on refusal_entry (organization, key, at_ms, id);
--
create index refusal_entry_by_age on refusal_entry (at_ms);
