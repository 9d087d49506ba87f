-- Receipts: each organization's chain of call records, its signed checkpoints, the keys that sign them.
-- A record carries its own place in the chain, so that keeping it is one row as before. The chain begins with the first record kept from now on:
-- what was kept before could only be attested as it stands today, not as it was measured (decision 0030). No reference to the organization: a chain
-- outlives it, as its records do.
--
alter table "call_record" add column "receipt_sequence" {whole}
--
alter table "call_record" add column "receipt_hash" {bytes}
--
alter table "call_record" add column "receipt_words" {bytes}
--
create index call_record_by_receipt on call_record (organization, receipt_sequence) where receipt_sequence is not null
--
create table "receipt_chain" ("organization" {text} not null primary key, "sequence" {whole} not null, "hash" {bytes} not null, "secret_sealed"
  {bytes}, "key" {text}, "signed_last" {whole}, "signed_hash" {bytes}, "signed_key" {text}, "signed_at_ms" {whole}, "signature" {bytes}) {strict}
--
create table "receipt_checkpoint" ("organization" {text} not null, "kind" {text} not null, "last" {whole} not null, "hash" {bytes} not null, "key"
  {text} not null, "at_ms" {whole} not null, "signature" {bytes} not null, constraint "receipt_checkpoint_pk" primary key ("organization", "kind",
  "last")) {strict}
--
create table "receipt_key" ("id" {text} not null primary key, "organization" {text} not null, "number" {whole} not null, "public_key" {text} not
  null, "sealed" {bytes}, "at_ms" {whole} not null, "signed_by_previous" {text}, "signed_by_itself" {text}, constraint "receipt_key_in_order" unique
  ("organization", "number")) {strict}
