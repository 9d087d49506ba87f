create table "allocation_rules" ("organization" text collate "C" not null primary key, "json" text collate "C" not null);
