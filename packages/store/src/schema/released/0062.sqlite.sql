alter table "cell" add column "address" text default '' not null;
