alter table "person_session" add column "provided_by" text;
