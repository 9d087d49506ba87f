create table "price_list" ("id" text collate "C" not null primary key, "json" text collate "C" not null, "imported_at_ms" bigint not null, "in_force" bigint not null, "revision" bigint not null);
