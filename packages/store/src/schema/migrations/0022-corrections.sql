-- What a provider's bill differed by, as figures of their own beside the records: one for each provider, day and model that it was recorded for.
-- `model` is empty if the bill names none.
--
create table "correction" ("id" {text} not null primary key, "organization" {text} not null, "provider" {text} not null, "day_ms" {whole} not null,
  "model" {text} not null, "ours_nano" {whole} not null, "theirs_nano" {whole} not null, "bill" {text} not null, "recorded_at_ms" {whole} not null,
  constraint "correction_once" unique ("organization", "provider", "day_ms", "model")) {strict}
