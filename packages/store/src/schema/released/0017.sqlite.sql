create table hour_sum (organization text not null, hour_ms integer not null, figure text not null,
    amount integer not null, primary key (organization, hour_ms, figure)) strict, without rowid;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'calls', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, count(*) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'cost', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, case when sum(coalesce(cost_nano, 0) / 1000000000) + sum(coalesce(cost_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cost_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(cost_nano, 0) % 1000000000) end as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'input', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, case when sum(coalesce(input_tokens, 0) / 1000000000) + sum(coalesce(input_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(input_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(input_tokens, 0) % 1000000000) end as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'cached', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, case when sum(coalesce(cached_tokens, 0) / 1000000000) + sum(coalesce(cached_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cached_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(cached_tokens, 0) % 1000000000) end as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'written', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, case when sum(coalesce(cache_write_tokens, 0) / 1000000000) + sum(coalesce(cache_write_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(cache_write_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(cache_write_tokens, 0) % 1000000000) end as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'output', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, case when sum(coalesce(output_tokens, 0) / 1000000000) + sum(coalesce(output_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(output_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(output_tokens, 0) % 1000000000) end as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'reasoning', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, case when sum(coalesce(reasoning_tokens, 0) / 1000000000) + sum(coalesce(reasoning_tokens, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(reasoning_tokens, 0) / 1000000000) * 1000000000 + sum(coalesce(reasoning_tokens, 0) % 1000000000) end as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'unknown', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when usage in ('unknown', 'partial') then 1 else 0 end) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'unpriced', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when cost_source = 'unpriced' then 1 else 0 end) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'gaps', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when cost_gaps is not null and cost_gaps not in ('', '[]') then 1 else 0 end) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'errors', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when outcome in ('failed', 'cut') or status >= 500 then 1 else 0 end) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'throttled', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when status = 429 then 1 else 0 end) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
