-- An index by time of the calls that have a session: reports by session read only these. PostgreSQL's is a late one (`late-indexes.ts`).
-- sqlite only
create index call_record_with_session on call_record (organization, started_at_ms) where session is not null
