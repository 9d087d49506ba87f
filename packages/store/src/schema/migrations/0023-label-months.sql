-- Sums of labels by month, beside those by day, in the same table: `day_ms` is the month's first instant where the dimension is `label/month`.
-- Reports of labels with models over months and all of time read these.
--
insert into word_sum (organization, dimension, subject, day_ms, attribution, calls, saved_calls, unknown_calls, unpriced_calls, gap_calls,
  input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano)
    select organization, 'label/month', subject, {start of month: day_ms}, attribution, cast(sum(calls) as bigint), cast(sum(saved_calls) as
      bigint), cast(sum(unknown_calls) as bigint), cast(sum(unpriced_calls) as bigint), cast(sum(gap_calls) as bigint), {sum input_tokens},
      {sum cached_tokens}, {sum cache_write_tokens}, {sum output_tokens}, {sum reasoning_tokens}, {sum cost_nano}, {sum cache_savings_nano} from
      word_sum where dimension = 'label'
    group by 1, 2, 3, 4, 5
