create index call_record_failed on call_record (organization, started_at_ms) where (status >= 400 or outcome <> 'completed');
--
create index call_record_lacking_cost on call_record (organization, started_at_ms)
    where (usage in ('unknown', 'partial') or cost_source = 'unpriced' or cost_gaps is not null);
