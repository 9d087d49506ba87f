alter table "organization" add column "wrong_base_url" text;
