create table "allocation_rules" ("organization" text not null primary key, "json" text not null) strict;
