-- The session that a caller's agent names, and an index of the calls that have one. PostgreSQL's index is a late one (`late-indexes.ts`).
--
alter table "call_record" add column "session" {text}
-- sqlite only
create index call_record_by_session on call_record (organization, session, started_at_ms) where session is not null
