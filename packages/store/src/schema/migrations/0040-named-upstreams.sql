-- Destinations that organizations declare by name, beside the one without.
--
create table "named_upstream" ("organization" {text} not null references "organization" ("id"), "name" {text} not null, "url" {text} not null,
  "enabled" {whole} not null, "sealed" {bytes}, "version" {whole} not null, "auth" {text} not null, "dialect" {text}, "provider" {text}, constraint
  "named_upstream_pk" primary key ("organization", "name")) {strict}
