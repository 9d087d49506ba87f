alter table "call_record" add column "receipt_sequence" integer;
--
alter table "call_record" add column "receipt_hash" blob;
--
alter table "call_record" add column "receipt_words" blob;
--
create index call_record_by_receipt on call_record (organization, receipt_sequence) where receipt_sequence is not null;
--
create table "receipt_chain" ("organization" text not null primary key, "sequence" integer not null, "hash" blob not null, "secret_sealed" blob, "key" text, "signed_last" integer, "signed_hash" blob, "signed_key" text, "signed_at_ms" integer, "signature" blob) strict;
--
create table "receipt_checkpoint" ("organization" text not null, "kind" text not null, "last" integer not null, "hash" blob not null, "key" text not null, "at_ms" integer not null, "signature" blob not null, constraint "receipt_checkpoint_pk" primary key ("organization", "kind", "last")) strict;
--
create table "receipt_key" ("id" text not null primary key, "organization" text not null, "number" integer not null, "public_key" text not null, "sealed" blob, "at_ms" integer not null, "signed_by_previous" text, "signed_by_itself" text, constraint "receipt_key_in_order" unique ("organization", "number")) strict;
