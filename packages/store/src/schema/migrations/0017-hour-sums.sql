-- What calls of one hour came to, for the overview. `hour_sum` has one row for each hour and figure. Calls that were kept before are summed here,
-- by SQL of this file only; how long they took is not: percentiles begin with this schema.
--
create table hour_sum (organization {text} not null, hour_ms {whole} not null, figure {text} not null,
    amount {whole} not null, primary key (organization, hour_ms, figure)) {clustered}
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'calls', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, count(*) as amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'cost', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, {sum cost_nano} as amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'input', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, {sum input_tokens} as amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'cached', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, {sum cached_tokens} as amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'written', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, {sum cache_write_tokens} as amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'output', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, {sum output_tokens} as amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'reasoning', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, {sum reasoning_tokens} as amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'unknown', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when usage in ('unknown', 'partial') then 1 else 0 end) as
          amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'unpriced', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when cost_source = 'unpriced' then 1 else 0 end) as amount
          from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'gaps', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when cost_gaps is not null and cost_gaps not in ('', '[]')
          then 1 else 0 end) as amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'errors', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when outcome in ('failed', 'cut') or status >= 500 then 1
          else 0 end) as amount from call_record group by 1, 2
      ) as summed where amount > 0
--
insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, 'throttled', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, sum(case when status = 429 then 1 else 0 end) as amount from
          call_record group by 1, 2
      ) as summed where amount > 0
