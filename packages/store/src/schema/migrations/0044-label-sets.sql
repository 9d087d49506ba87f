-- Sums of calls with the same several labels, by day and month, in the table of sums by label, and sums of whole hours: reports of labels beside
-- a label, and by hour, read them. They are filled from the records that are kept.
-- What was saved may be negative, and is far from any bound.
-- sqlite only
insert into word_sum (organization, dimension, subject, day_ms, attribution, hours, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls,
  input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'sets/' || (started_at_ms - started_at_ms % 86400000), labels, started_at_ms - started_at_ms % 86400000, attribution,
        null, cast(sum(case when true then 1 else 0 end) as bigint), cast(sum(case when cache_savings_nano is not null then 1 else 0 end) as
        bigint), cast(sum(case when usage in ('unknown', 'partial') then 1 else 0 end) as bigint), cast(sum(case when cost_source = 'unpriced' then
        1 else 0 end) as bigint), cast(sum(case when cost_gaps is not null then 1 else 0 end) as bigint), {sum input_tokens}, {sum cached_tokens},
        {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano}, cast(coalesce(sum(cache_savings_nano), 0) as bigint)
      from call_record where labels is not null and json_array_length(labels) > 1 and length(cast(labels as blob)) <= 1500 group by 1, 2, 3, 4, 5
-- sqlite only
insert into word_sum (organization, dimension, subject, day_ms, attribution, hours, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls,
  input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'set-months/' || ({start of month: started_at_ms}), labels, {start of month: started_at_ms}, attribution, null,
        cast(sum(case when true then 1 else 0 end) as bigint), cast(sum(case when cache_savings_nano is not null then 1 else 0 end) as bigint),
        cast(sum(case when usage in ('unknown', 'partial') then 1 else 0 end) as bigint), cast(sum(case when cost_source = 'unpriced' then 1 else 0
        end) as bigint), cast(sum(case when cost_gaps is not null then 1 else 0 end) as bigint), {sum input_tokens}, {sum cached_tokens},
        {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano}, cast(coalesce(sum(cache_savings_nano), 0) as bigint)
      from call_record where labels is not null and json_array_length(labels) > 1 and length(cast(labels as blob)) <= 1500 group by 1, 2, 3, 4, 5
-- sqlite only
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
    select organization, 'labels', started_at_ms - started_at_ms % 86400000, '', cast(sum(case when true then 1 else 0 end) as bigint),
      cast(sum(case when cache_savings_nano is not null then 1 else 0 end) as bigint), cast(sum(case when usage in ('unknown', 'partial') then 1
      else 0 end) as bigint), cast(sum(case when cost_source = 'unpriced' then 1 else 0 end) as bigint), cast(sum(case when cost_gaps is not null
      then 1 else 0 end) as bigint), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens},
      {sum cost_nano}, cast(coalesce(sum(cache_savings_nano), 0) as bigint) from call_record where labels is null or not (labels is not null and
      json_array_length(labels) > 1) or length(cast(labels as blob)) <= 1500 group by 1, 3
-- postgres only
insert into word_sum (organization, dimension, subject, day_ms, attribution, hours, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls,
  input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'sets/' || (started_at_ms - started_at_ms % 86400000), labels, started_at_ms - started_at_ms % 86400000, attribution,
        null, cast(sum(case when true then 1 else 0 end) as bigint), cast(sum(case when cache_savings_nano is not null then 1 else 0 end) as
        bigint), cast(sum(case when usage in ('unknown', 'partial') then 1 else 0 end) as bigint), cast(sum(case when cost_source = 'unpriced' then
        1 else 0 end) as bigint), cast(sum(case when cost_gaps is not null then 1 else 0 end) as bigint), {sum input_tokens}, {sum cached_tokens},
        {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano}, cast(coalesce(sum(cache_savings_nano), 0) as bigint)
      from call_record where labels is not null and json_array_length(cast(labels as json)) > 1 and octet_length(labels) <= 1500 group by 1, 2, 3,
        4, 5
-- postgres only
insert into word_sum (organization, dimension, subject, day_ms, attribution, hours, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls,
  input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
      select organization, 'set-months/' || ({start of month: started_at_ms}), labels, {start of month: started_at_ms}, attribution, null,
        cast(sum(case when true then 1 else 0 end) as bigint), cast(sum(case when cache_savings_nano is not null then 1 else 0 end) as bigint),
        cast(sum(case when usage in ('unknown', 'partial') then 1 else 0 end) as bigint), cast(sum(case when cost_source = 'unpriced' then 1 else 0
        end) as bigint), cast(sum(case when cost_gaps is not null then 1 else 0 end) as bigint), {sum input_tokens}, {sum cached_tokens},
        {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano}, cast(coalesce(sum(cache_savings_nano), 0) as bigint)
      from call_record where labels is not null and json_array_length(cast(labels as json)) > 1 and octet_length(labels) <= 1500 group by 1, 2, 3,
        4, 5
-- postgres only
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
    select organization, 'labels', started_at_ms - started_at_ms % 86400000, '', cast(sum(case when true then 1 else 0 end) as bigint),
      cast(sum(case when cache_savings_nano is not null then 1 else 0 end) as bigint), cast(sum(case when usage in ('unknown', 'partial') then 1
      else 0 end) as bigint), cast(sum(case when cost_source = 'unpriced' then 1 else 0 end) as bigint), cast(sum(case when cost_gaps is not null
      then 1 else 0 end) as bigint), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens},
      {sum cost_nano}, cast(coalesce(sum(cache_savings_nano), 0) as bigint) from call_record where labels is null or not (labels is not null and
      json_array_length(cast(labels as json)) > 1) or octet_length(labels) <= 1500 group by 1, 3
--
insert into usage_sum (organization, dimension, day_ms, subject, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
    select organization, 'hour', started_at_ms - started_at_ms % 3600000, '', cast(sum(case when true then 1 else 0 end) as bigint), cast(sum(case
      when cache_savings_nano is not null then 1 else 0 end) as bigint), cast(sum(case when usage in ('unknown', 'partial') then 1 else 0 end) as
      bigint), cast(sum(case when cost_source = 'unpriced' then 1 else 0 end) as bigint), cast(sum(case when cost_gaps is not null then 1 else 0
      end) as bigint), {sum input_tokens}, {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens},
      {sum cost_nano}, cast(coalesce(sum(cache_savings_nano), 0) as bigint) from call_record group by 1, 3
