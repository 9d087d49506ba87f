create table "usage_sum" ("organization" text not null, "dimension" text not null, "day_ms" integer not null, "subject" text not null, "calls" integer not null, "input_tokens" integer not null, "output_tokens" integer not null, "cost_nano" integer not null, "unknown_calls" integer not null, "unpriced_calls" integer not null, constraint "usage_sum_pk" primary key ("organization", "dimension", "day_ms", "subject")) strict, without rowid;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'day', started_at_ms - started_at_ms % 86400000, substr(coalesce('', ''), 1, 512),
        count(*), case when sum(coalesce(input_tokens, 0) / 1000000000) + sum(coalesce(input_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(input_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(input_tokens, 0) % 1000000000) end, case when sum(coalesce(output_tokens, 0) / 1000000000) + sum(coalesce(output_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(output_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(output_tokens, 0) % 1000000000) end, case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end,
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'model', started_at_ms - started_at_ms % 86400000, substr(coalesce(model, ''), 1, 512),
        count(*), case when sum(coalesce(input_tokens, 0) / 1000000000) + sum(coalesce(input_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(input_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(input_tokens, 0) % 1000000000) end, case when sum(coalesce(output_tokens, 0) / 1000000000) + sum(coalesce(output_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(output_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(output_tokens, 0) % 1000000000) end, case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end,
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'key', started_at_ms - started_at_ms % 86400000, substr(coalesce(key, ''), 1, 512),
        count(*), case when sum(coalesce(input_tokens, 0) / 1000000000) + sum(coalesce(input_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(input_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(input_tokens, 0) % 1000000000) end, case when sum(coalesce(output_tokens, 0) / 1000000000) + sum(coalesce(output_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(output_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(output_tokens, 0) % 1000000000) end, case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end,
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'project', started_at_ms - started_at_ms % 86400000, substr(coalesce(project, ''), 1, 512),
        count(*), case when sum(coalesce(input_tokens, 0) / 1000000000) + sum(coalesce(input_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(input_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(input_tokens, 0) % 1000000000) end, case when sum(coalesce(output_tokens, 0) / 1000000000) + sum(coalesce(output_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(output_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(output_tokens, 0) % 1000000000) end, case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end,
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'run', started_at_ms - started_at_ms % 86400000, substr(coalesce(run, ''), 1, 512),
        count(*), case when sum(coalesce(input_tokens, 0) / 1000000000) + sum(coalesce(input_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(input_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(input_tokens, 0) % 1000000000) end, case when sum(coalesce(output_tokens, 0) / 1000000000) + sum(coalesce(output_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(output_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(output_tokens, 0) % 1000000000) end, case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end,
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from call_record as r group by 1, 2, 3, 4;
--
insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, 'label', started_at_ms - started_at_ms % 86400000, substr(coalesce(label, ''), 1, 512),
        count(*), case when sum(coalesce(input_tokens, 0) / 1000000000) + sum(coalesce(input_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(input_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(input_tokens, 0) % 1000000000) end, case when sum(coalesce(output_tokens, 0) / 1000000000) + sum(coalesce(output_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(output_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(output_tokens, 0) % 1000000000) end, case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end,
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from (select distinct r.*, coalesce(l.value, '') as label from call_record as r left join json_each(r.labels) as l) as r group by 1, 2, 3, 4;
