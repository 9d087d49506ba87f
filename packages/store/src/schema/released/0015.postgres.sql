alter table "call_record" add column "receipt_sequence" bigint;
--
alter table "call_record" add column "receipt_hash" bytea;
--
alter table "call_record" add column "receipt_words" bytea;
--
create index call_record_by_receipt on call_record (organization, receipt_sequence) where receipt_sequence is not null;
--
create table "receipt_chain" ("organization" text collate "C" not null primary key, "sequence" bigint not null, "hash" bytea not null, "secret_sealed" bytea, "key" text collate "C", "signed_last" bigint, "signed_hash" bytea, "signed_key" text collate "C", "signed_at_ms" bigint, "signature" bytea);
--
create table "receipt_checkpoint" ("organization" text collate "C" not null, "kind" text collate "C" not null, "last" bigint not null, "hash" bytea not null, "key" text collate "C" not null, "at_ms" bigint not null, "signature" bytea not null, constraint "receipt_checkpoint_pk" primary key ("organization", "kind", "last"));
--
create table "receipt_key" ("id" text collate "C" not null primary key, "organization" text collate "C" not null, "number" bigint not null, "public_key" text collate "C" not null, "sealed" bytea, "at_ms" bigint not null, "signed_by_previous" text collate "C", "signed_by_itself" text collate "C", constraint "receipt_key_in_order" unique ("organization", "number"));
