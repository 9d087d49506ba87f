-- On SQLite the index of calls by run holds, behind its key, what reports read of these calls, so that they need not look at the records: 50,000
-- records of a week lie in nearly as many pages. PostgreSQL keeps its index as it is (decision 0312).
-- The sequence is named, because it orders calls of one moment before anything else does.
-- sqlite only
drop index call_record_by_run
-- sqlite only
create index call_record_by_run on call_record (organization, run, started_at_ms, sequence, labels, attribution, usage, settled_by,
    cost_source, cost_gaps, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
    where run is not null
