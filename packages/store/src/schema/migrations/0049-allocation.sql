-- Rules by which an organization's months are allocated. Decision 146.
--
create table "allocation_rules" ("organization" {text} not null primary key, "json" {text} not null) {strict}
