alter table "call_record" add column "kind" text collate "C";
--
alter table "call_record" add column "works" text collate "C";
--
alter table "call_record" add column "settles" text collate "C";
--
alter table "call_record" add column "settled_by" text collate "C";
--
create table "deferred_work" ("organization" text collate "C" not null, "wire" text collate "C" not null, "work" text collate "C" not null, "part_of" text collate "C", "began_by" text collate "C", "began_ms" bigint not null, "settled_by" text collate "C", "settled_number" bigint, "path" text collate "C", "next_look_ms" bigint, "looks" bigint default 0 not null, constraint "deferred_work_key" primary key ("organization", "wire", "work"));
--
create index "deferred_work_settled" on "deferred_work" ("settled_number");
--
create index deferred_work_due on deferred_work (next_look_ms) where next_look_ms is not null;
