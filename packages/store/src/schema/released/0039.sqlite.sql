alter table "call_record" add column "session" text;
--
create index call_record_by_session on call_record (organization, session, started_at_ms) where session is not null;
