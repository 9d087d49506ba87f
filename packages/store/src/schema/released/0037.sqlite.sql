create table "price_list" ("id" text not null primary key, "json" text not null, "imported_at_ms" integer not null, "in_force" integer not null, "revision" integer not null) strict;
