alter table "cell" add column "address" text collate "C" default '' not null;
