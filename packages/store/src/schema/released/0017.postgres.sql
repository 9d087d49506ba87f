create table hour_sum (organization text collate "C" not null, hour_ms bigint not null, figure text collate "C" not null,
    amount bigint not null, primary key (organization, hour_ms, figure));
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'calls', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, count(*) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'cost', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, cast(least(sum(coalesce(cost_nano, 0)), 9223372036854775807) as bigint) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'input', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, cast(least(sum(coalesce(input_tokens, 0)), 9223372036854775807) as bigint) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'cached', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, cast(least(sum(coalesce(cached_tokens, 0)), 9223372036854775807) as bigint) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'written', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, cast(least(sum(coalesce(cache_write_tokens, 0)), 9223372036854775807) as bigint) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'output', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, cast(least(sum(coalesce(output_tokens, 0)), 9223372036854775807) as bigint) as amount from call_record group by 1, 2
      ) as summed where amount > 0;
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'reasoning', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, cast(least(sum(coalesce(reasoning_tokens, 0)), 9223372036854775807) as bigint) as amount from call_record group by 1, 2
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
