-- Budgets of months, for an organization, a project, a person's keys or a label. Decision 148.
--
create table "month_budget" ("id" {text} not null primary key, "organization" {text} not null, "scope" {text} not null, "subject" {text} not null,
  "month_ms" {whole} not null, "amount_nano" {whole} not null, "at" {text} not null, "told" {text}, constraint "month_budget_once" unique
  ("organization", "scope", "subject", "month_ms")) {strict}
