-- Price lists that the operator imported, as the product keeps a list. At most one is in force; without one it is the shipped list.
--
create table "price_list" ("id" {text} not null primary key, "json" {text} not null, "imported_at_ms" {whole} not null, "in_force" {whole} not null,
  "revision" {whole} not null) {strict}
