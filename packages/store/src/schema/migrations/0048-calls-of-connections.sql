-- An index of the responses of WebSocket connections. PostgreSQL's is a late one (`late-indexes.ts`).
-- sqlite only
create index call_record_by_connection on call_record (organization, connection, started_at_ms) where connection is not null
