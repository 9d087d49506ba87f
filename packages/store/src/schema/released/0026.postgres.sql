alter table "word_sum" add column "hours" bigint;
