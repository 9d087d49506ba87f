drop index call_record_by_run;
--
create index call_record_by_run on call_record (organization, run, started_at_ms, sequence, labels, attribution, usage, settled_by,
    cost_source, cost_gaps, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
    where run is not null;
