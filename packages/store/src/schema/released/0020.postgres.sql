create table "server_settings" ("only" bigint not null primary key, "settings" text collate "C" not null);
