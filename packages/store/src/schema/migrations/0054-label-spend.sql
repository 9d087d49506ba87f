-- What is counted of corrections counts for labels as well: their rows stand beside the sums of usage. A node that is alone with its store is
-- told for which labels with caps.
--
alter table "corrected_spend" add column "labels" {text}
-- sqlite only
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, unpriced_calls, gap_calls)
      select organization, 'label', label, day_ms, sum(amount), 0, 0, 0, 0 from (
        select distinct c.sequence, c.organization, json_each.value as label, c.started_at_ms - c.started_at_ms % 86400000 as day_ms, c.counted_nano
          as amount
        from call_correction as c join call_record as r on r.sequence = c.sequence cross join json_each(r.labels)
        where c.counted_nano <> 0 and r.labels is not null
          and not exists (select 1 from erased_organization as e where e.organization = c.organization)) as counted
      group by organization, label, day_ms
-- sqlite only
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, unpriced_calls, gap_calls)
      select organization, 'label', label, day_ms, sum(amount), 0, 0, 0, 0 from (
        select distinct c.sequence, c.organization, json_each.value as label, -1 as day_ms, c.counted_nano as amount
        from call_correction as c join call_record as r on r.sequence = c.sequence cross join json_each(r.labels)
        where c.counted_nano <> 0 and r.labels is not null
          and not exists (select 1 from erased_organization as e where e.organization = c.organization)) as counted
      group by organization, label, day_ms
-- postgres only
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, unpriced_calls, gap_calls)
      select organization, 'label', label, day_ms, sum(amount), 0, 0, 0, 0 from (
        select distinct c.sequence, c.organization, l.value as label, c.started_at_ms - c.started_at_ms % 86400000 as day_ms, c.counted_nano as
          amount
        from call_correction as c join call_record as r on r.sequence = c.sequence cross join json_array_elements_text(r.labels::json) as l (value)
        where c.counted_nano <> 0 and r.labels is not null
          and not exists (select 1 from erased_organization as e where e.organization = c.organization)) as counted
      group by organization, label, day_ms
-- postgres only
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, unpriced_calls, gap_calls)
      select organization, 'label', label, day_ms, sum(amount), 0, 0, 0, 0 from (
        select distinct c.sequence, c.organization, l.value as label, -1 as day_ms, c.counted_nano as amount
        from call_correction as c join call_record as r on r.sequence = c.sequence cross join json_array_elements_text(r.labels::json) as l (value)
        where c.counted_nano <> 0 and r.labels is not null
          and not exists (select 1 from erased_organization as e where e.organization = c.organization)) as counted
      group by organization, label, day_ms
