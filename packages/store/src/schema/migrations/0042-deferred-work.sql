-- Work that goes on after its answer, by the provider's id: which call began it, and which record settled it. Calls that were kept before did not
-- note such ids, so what became of their work settles none of them.
--
alter table "call_record" add column "kind" {text}
--
alter table "call_record" add column "works" {text}
--
alter table "call_record" add column "settles" {text}
--
alter table "call_record" add column "settled_by" {text}
--
create table "deferred_work" ("organization" {text} not null, "wire" {text} not null, "work" {text} not null, "part_of" {text}, "began_by" {text},
  "began_ms" {whole} not null, "settled_by" {text}, "settled_number" {whole}, "path" {text}, "next_look_ms" {whole}, "looks" {whole} default 0 not
  null, constraint "deferred_work_key" primary key ("organization", "wire", "work")) {strict}
--
create index "deferred_work_settled" on "deferred_work" ("settled_number")
--
create index deferred_work_due on deferred_work (next_look_ms) where next_look_ms is not null
