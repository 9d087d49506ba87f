alter table "spend_lease" add column "settled_nano" integer default 0 not null;
--
alter table "spend_lease" add column "under_way_nano" integer default 0 not null;
--
alter table "spend_lease" add column "doubtful_at_ms" integer default 0 not null;
