-- What calls cost by other prices than those that they were recorded by: one row for each call whose cost differs, beside its record.
--
create table "call_correction" ("sequence" {whole} not null primary key, "organization" {text} not null, "started_at_ms" {whole} not null,
  "recorded_nano" {whole}, "cost_nano" {whole} not null, "cost_gaps" {text}, "price_list" {text} not null, "corrected_at_ms" {whole} not null)
  {strict}
--
create index call_correction_by_time on call_correction (organization, started_at_ms, sequence)
