-- Sums by attribution and hour (decision 0024): reports by hour and in other zones than UTC read them. They are filled from the records that are
-- kept. Sums by attribution and month go, since a month is a range of days.
-- What was saved may be negative, and is far from any bound.
--
delete from attribution_sum where span = 'month'
--
insert into attribution_sum (attribution, span, start_ms, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens, cached_tokens,
  cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
    select attribution, 'hour', started_at_ms - started_at_ms % 3600000, cast(sum(case when true then 1 else 0 end) as bigint), cast(sum(case when
      cache_savings_nano is not null then 1 else 0 end) as bigint), cast(sum(case when usage in ('unknown', 'partial') then 1 else 0 end) as
      bigint), cast(sum(case when cost_source = 'unpriced' then 1 else 0 end) as bigint), cast(sum(case when cost_gaps is not null then 1 else 0
      end) as bigint), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens},
      {sum cost_nano}, cast(coalesce(sum(cache_savings_nano), 0) as bigint)
    from call_record group by 1, 2, 3
