-- Daily sums of usage, for reports that stay fast whatever the number of records.
-- `usage_sum` has one row for each day and name in each dimension. A report walks one range of its key; on SQLite the table is its own index. Calls
-- that were kept before are summed here, by SQL of this file only: a migration never runs code that may change later. No reference to the
-- organization: sums outlive it, as records do.
-- A call counts once under each of its labels, and under none where it has none.
--
create table "usage_sum" ("organization" {text} not null, "dimension" {text} not null, "day_ms" {whole} not null, "subject" {text} not null, "calls"
  {whole} not null, "input_tokens" {whole} not null, "output_tokens" {whole} not null, "cost_nano" {whole} not null, "unknown_calls" {whole} not
  null, "unpriced_calls" {whole} not null, constraint "usage_sum_pk" primary key ("organization", "dimension", "day_ms", "subject")) {clustered}
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'day', started_at_ms - started_at_ms % 86400000, substr(coalesce('', ''), 1, 512),
        count(*), {sum input_tokens}, {sum output_tokens}, {sum cost_nano},
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'model', started_at_ms - started_at_ms % 86400000, substr(coalesce(model, ''), 1, 512),
        count(*), {sum input_tokens}, {sum output_tokens}, {sum cost_nano},
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'key', started_at_ms - started_at_ms % 86400000, substr(coalesce(key, ''), 1, 512),
        count(*), {sum input_tokens}, {sum output_tokens}, {sum cost_nano},
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'project', started_at_ms - started_at_ms % 86400000, substr(coalesce(project, ''), 1, 512),
        count(*), {sum input_tokens}, {sum output_tokens}, {sum cost_nano},
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'run', started_at_ms - started_at_ms % 86400000, substr(coalesce(run, ''), 1, 512),
        count(*), {sum input_tokens}, {sum output_tokens}, {sum cost_nano},
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'label', started_at_ms - started_at_ms % 86400000, substr(coalesce(label, ''), 1, 512),
        count(*), {sum input_tokens}, {sum output_tokens}, {sum cost_nano},
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from {labelled} group by 1, 2, 3, 4
