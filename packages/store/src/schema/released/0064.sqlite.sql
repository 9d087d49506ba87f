create index call_record_with_session on call_record (organization, started_at_ms) where session is not null;
