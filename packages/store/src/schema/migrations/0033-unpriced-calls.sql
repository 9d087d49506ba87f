-- Sums of spend and runs count the calls without a price, as reports do. The counts are made from the records that are kept; of records that are
-- gone for their age it is not known. A sum that is missing stays missing.
--
alter table spend_day add column unpriced_calls {whole} not null default 0
--
alter table spend_day add column gone_unpriced_calls {whole} not null default 0
--
alter table run add column unpriced_calls {whole} not null default 0
--
update spend_day set unpriced_calls = f.calls from (
      with u as (select organization, key, project, started_at_ms - started_at_ms % 86400000 as day_ms, count(*) as calls
        from call_record where cost_source = 'unpriced' group by 1, 2, 3, 4), s as (select organization, 'organization' as scope, '' as subject,
          day_ms, calls from u union all select organization, 'key', key, day_ms, calls from u union all select organization, 'project', project,
          day_ms, calls from u where project is not null)
      select organization, scope, subject, day_ms, sum(calls) as calls from s group by 1, 2, 3, 4
      union all select organization, scope, subject, -1, sum(calls) from s group by 1, 2, 3
    ) as f where spend_day.organization = f.organization and spend_day.scope = f.scope and spend_day.subject = f.subject
      and spend_day.day_ms = f.day_ms
--
update run set unpriced_calls = f.calls from (
      select organization, run, count(*) as calls from call_record where cost_source = 'unpriced' and run is not null group by 1, 2
    ) as f where run.organization = f.organization and run.id = f.run
