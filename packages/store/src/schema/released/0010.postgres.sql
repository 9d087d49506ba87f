alter table "spend_lease" add column "settled_nano" bigint default 0 not null;
--
alter table "spend_lease" add column "under_way_nano" bigint default 0 not null;
--
alter table "spend_lease" add column "doubtful_at_ms" bigint default 0 not null;
