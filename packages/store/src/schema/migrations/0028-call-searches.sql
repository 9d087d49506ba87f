-- Calls that failed, and those whose cost is not whole, are found in their order without looking at the others. PostgreSQL's indexes are late
-- ones (`late-indexes.ts`).
-- sqlite only
create index call_record_failed on call_record (organization, started_at_ms) where (status >= 400 or outcome <> 'completed')
-- sqlite only
create index call_record_lacking_cost on call_record (organization, started_at_ms)
    where (usage in ('unknown', 'partial') or cost_source = 'unpriced' or cost_gaps is not null)
