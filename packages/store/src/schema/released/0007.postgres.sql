create table "usage_sum" ("organization" text collate "C" not null, "dimension" text collate "C" not null, "day_ms" bigint not null, "subject" text collate "C" not null, "calls" bigint not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cost_nano" bigint not null, "unknown_calls" bigint not null, "unpriced_calls" bigint not null, constraint "usage_sum_pk" primary key ("organization", "dimension", "day_ms", "subject"));
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'day', started_at_ms - started_at_ms % 86400000, substr(coalesce('', ''), 1, 512),
        count(*), cast(least(sum(coalesce(input_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(output_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint),
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'model', started_at_ms - started_at_ms % 86400000, substr(coalesce(model, ''), 1, 512),
        count(*), cast(least(sum(coalesce(input_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(output_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint),
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'key', started_at_ms - started_at_ms % 86400000, substr(coalesce(key, ''), 1, 512),
        count(*), cast(least(sum(coalesce(input_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(output_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint),
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'project', started_at_ms - started_at_ms % 86400000, substr(coalesce(project, ''), 1, 512),
        count(*), cast(least(sum(coalesce(input_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(output_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint),
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'run', started_at_ms - started_at_ms % 86400000, substr(coalesce(run, ''), 1, 512),
        count(*), cast(least(sum(coalesce(input_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(output_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint),
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'label', started_at_ms - started_at_ms % 86400000, substr(coalesce(label, ''), 1, 512),
        count(*), cast(least(sum(coalesce(input_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(output_tokens, 0)), 9223372036854775807) as bigint), cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint),
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from (select r.*, l.label from call_record as r cross join lateral
        (select distinct label from json_array_elements_text(cast(coalesce(nullif(r.labels, '[]'), '[""]') as json)) as each (label)) as l) as r group by 1, 2, 3, 4;
