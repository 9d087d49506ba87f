create table "server_settings" ("only" integer not null primary key, "settings" text not null) strict;
