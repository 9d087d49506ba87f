create index call_record_by_connection on call_record (organization, connection, started_at_ms) where connection is not null;
