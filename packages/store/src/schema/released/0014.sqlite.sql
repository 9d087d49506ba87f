create table "tap_line" ("baseline" integer not null, "kind" text not null, "name" text not null, constraint "tap_line_pk" primary key ("baseline", "kind", "name")) strict;
--
insert into tap_line (baseline, kind, name) select distinct baseline, 'tag', tag from tap_cell;
--
insert into tap_line (baseline, kind, name) select distinct baseline, 'model', provider || ':' || model from tap_cell;
