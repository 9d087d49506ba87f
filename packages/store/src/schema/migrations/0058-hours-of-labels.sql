-- Sums of each label's calls by hour, in the table of sums by name: reports by hour and label read them. They are filled from the records that
-- are kept.
-- What was saved may be negative, and is far from any bound. A label that comes twice counts once.
-- sqlite only
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano) select organization, 'label/hour',
  started_at_ms - started_at_ms % 3600000, l.value, cast(sum(case when true then 1 else 0 end) as bigint), cast(sum(case when cache_savings_nano is
  not null then 1 else 0 end) as bigint), cast(sum(case when usage in ('unknown', 'partial') and settled_by is null then 1 else 0 end) as bigint),
  cast(sum(case when cost_source = 'unpriced' then 1 else 0 end) as bigint), cast(sum(case when cost_gaps is not null then 1 else 0 end) as bigint),
  {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano},
  cast(coalesce(sum(cache_savings_nano), 0) as bigint) from call_record cross join json_each(labels) as l
    where labels is not null and not exists (select 1 from json_each(labels) as e where e.value = l.value and e.key < l.key) group by 1, 3, 4
-- postgres only
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano) select organization, 'label/hour',
  started_at_ms - started_at_ms % 3600000, l.value, cast(sum(case when true then 1 else 0 end) as bigint), cast(sum(case when cache_savings_nano is
  not null then 1 else 0 end) as bigint), cast(sum(case when usage in ('unknown', 'partial') and settled_by is null then 1 else 0 end) as bigint),
  cast(sum(case when cost_source = 'unpriced' then 1 else 0 end) as bigint), cast(sum(case when cost_gaps is not null then 1 else 0 end) as bigint),
  {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano},
  cast(coalesce(sum(cache_savings_nano), 0) as bigint) from call_record cross join json_array_elements_text(cast(labels as json)) with ordinality as
  l (value, key)
    where labels is not null and not exists (select 1 from json_array_elements_text(cast(labels as json)) with ordinality as e (value, key) where
      e.value = l.value and e.key < l.key) group by 1, 3, 4
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano) select organization, 'label/hour',
  started_at_ms - started_at_ms % 3600000, '', cast(sum(case when true then 1 else 0 end) as bigint), cast(sum(case when cache_savings_nano is not
  null then 1 else 0 end) as bigint), cast(sum(case when usage in ('unknown', 'partial') and settled_by is null then 1 else 0 end) as bigint),
  cast(sum(case when cost_source = 'unpriced' then 1 else 0 end) as bigint), cast(sum(case when cost_gaps is not null then 1 else 0 end) as bigint),
  {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano},
  cast(coalesce(sum(cache_savings_nano), 0) as bigint) from call_record where labels is null group by 1, 3
