-- Which models and tags of a Baseline have a line of their own: those that are there are taken over, whatever their number.
--
create table "tap_line" ("baseline" {whole} not null, "kind" {text} not null, "name" {text} not null, constraint "tap_line_pk" primary key
  ("baseline", "kind", "name")) {strict}
--
insert into tap_line (baseline, kind, name) select distinct baseline, 'tag', tag from tap_cell
--
insert into tap_line (baseline, kind, name) select distinct baseline, 'model', provider || ':' || model from tap_cell
