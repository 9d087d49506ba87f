create table "tap_line" ("baseline" bigint not null, "kind" text collate "C" not null, "name" text collate "C" not null, constraint "tap_line_pk" primary key ("baseline", "kind", "name"));
--
insert into tap_line (baseline, kind, name) select distinct baseline, 'tag', tag from tap_cell;
--
insert into tap_line (baseline, kind, name) select distinct baseline, 'model', provider || ':' || model from tap_cell;
