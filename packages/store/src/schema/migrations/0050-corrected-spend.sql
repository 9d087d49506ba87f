-- What of a call's correction counts as spent (0: nothing), and what corrections changed in the sums of spend, in the order in which they did: a
-- node that is alone with its store holds those sums in memory, and is told of it.
--
alter table "call_correction" add column "counted_nano" {whole} default 0 not null
--
create table "corrected_spend" ("number" {whole} not null primary key, "organization" {text} not null, "key" {text} not null, "day_ms" {whole} not
  null, "amount_nano" {whole} not null, "at_ms" {whole} not null) {strict}
