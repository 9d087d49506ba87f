create table spend_day (organization text not null, scope text not null, subject text not null, day_ms integer not null,
    spent_nano integer not null, calls integer not null, unknown_calls integer not null, gap_calls integer not null, gone_nano integer not null default 0, gone_calls integer not null default 0, gone_unknown_calls integer not null default 0, gone_gap_calls integer not null default 0,
    constraint spend_day_pk primary key (organization, scope, subject, day_ms)) strict, without rowid;
--
alter table gateway_node add column keeps_days integer not null default 0;
--
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls, gone_gap_calls)
    select organization, scope, subject, case "window" when 'day' then start_ms else -1 end, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls, gone_gap_calls
    from spend_sum where "window" in ('day', 'lifetime');
--
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls, gone_gap_calls)
    select y.organization, y.scope, y.subject, y.start_ms, y.spent_nano - coalesce(d.spent_nano, 0), y.calls - coalesce(d.calls, 0), y.unknown_calls - coalesce(d.unknown_calls, 0), y.gap_calls - coalesce(d.gap_calls, 0), y.gone_nano - coalesce(d.gone_nano, 0), y.gone_calls - coalesce(d.gone_calls, 0), y.gone_unknown_calls - coalesce(d.gone_unknown_calls, 0), y.gone_gap_calls - coalesce(d.gone_gap_calls, 0)
    from spend_sum as y left join (select organization, scope, subject, cast(strftime('%s', start_ms / 1000, 'unixepoch', 'start of year') as integer) * 1000 as year_ms, case when sum(coalesce(spent_nano, 0) / 1000000000) + sum(coalesce(spent_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(spent_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(spent_nano, 0) % 1000000000) end as spent_nano, cast(sum(calls) as bigint) as calls, cast(sum(unknown_calls) as bigint) as unknown_calls, cast(sum(gap_calls) as bigint) as gap_calls, case when sum(coalesce(gone_nano, 0) / 1000000000) + sum(coalesce(gone_nano, 0) % 1000000000) / 1000000000 >= 9223372036 then 9223372036854775807 else sum(coalesce(gone_nano, 0) / 1000000000) * 1000000000 + sum(coalesce(gone_nano, 0) % 1000000000) end as gone_nano, cast(sum(gone_calls) as bigint) as gone_calls, cast(sum(gone_unknown_calls) as bigint) as gone_unknown_calls, cast(sum(gone_gap_calls) as bigint) as gone_gap_calls
      from spend_sum where "window" = 'day' group by 1, 2, 3, 4) as d
      on d.organization = y.organization and d.scope = y.scope and d.subject = y.subject and d.year_ms = y.start_ms
    where y."window" = 'year' and (y.calls > coalesce(d.calls, 0) or y.spent_nano > coalesce(d.spent_nano, 0))
    on conflict (organization, scope, subject, day_ms) do update set
      spent_nano = spend_day.spent_nano + excluded.spent_nano, calls = spend_day.calls + excluded.calls, unknown_calls = spend_day.unknown_calls + excluded.unknown_calls, gap_calls = spend_day.gap_calls + excluded.gap_calls, gone_nano = spend_day.gone_nano + excluded.gone_nano, gone_calls = spend_day.gone_calls + excluded.gone_calls, gone_unknown_calls = spend_day.gone_unknown_calls + excluded.gone_unknown_calls, gone_gap_calls = spend_day.gone_gap_calls + excluded.gone_gap_calls;
--
drop table spend_sum;
