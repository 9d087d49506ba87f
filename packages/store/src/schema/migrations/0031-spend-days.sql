-- Spend by day (decision 0112): `spend_day` has a row for each subject and day with calls, and one with the day -1 for all its days. Weeks,
-- months and years are ranges of days. It is filled from the sums by window, which also hold what records spent that are gone for their age. The
-- days of such records may be gone too: what a year's sum has more than its days stands on the year's first day. So the sums of all years stay, and
-- of every week and month whose days are all there, as are those of the past 31 days.
-- On SQLite the sums by window go. On PostgreSQL they stay for running gateways of the version before, which read and write them: triggers carry
-- what such a gateway writes to the days, and what others write to its sums while one is there. A later version drops them.
-- Each trigger is still while the other one writes. All writers of an organization's sums hold its chain's lock, so the two take turns. Nobody
-- writes between the filling and the triggers.
--
create table spend_day (organization {text} not null, scope {text} not null, subject {text} not null, day_ms {whole} not null,
    spent_nano {whole} not null, calls {whole} not null, unknown_calls {whole} not null, gap_calls {whole} not null, gone_nano {whole} not null
      default 0, gone_calls {whole} not null default 0, gone_unknown_calls {whole} not null default 0, gone_gap_calls {whole} not null default 0,
    constraint spend_day_pk primary key (organization, scope, subject, day_ms)) {clustered}
--
alter table gateway_node add column keeps_days {whole} not null default 0
-- postgres only
lock table spend_sum in share row exclusive mode
--
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls,
  gone_gap_calls)
    select organization, scope, subject, case "window" when 'day' then start_ms else -1 end, spent_nano, calls, unknown_calls, gap_calls, gone_nano,
      gone_calls, gone_unknown_calls, gone_gap_calls
    from spend_sum where "window" in ('day', 'lifetime')
--
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls,
  gone_gap_calls)
    select y.organization, y.scope, y.subject, y.start_ms, y.spent_nano - coalesce(d.spent_nano, 0), y.calls - coalesce(d.calls, 0), y.unknown_calls
      - coalesce(d.unknown_calls, 0), y.gap_calls - coalesce(d.gap_calls, 0), y.gone_nano - coalesce(d.gone_nano, 0), y.gone_calls -
      coalesce(d.gone_calls, 0), y.gone_unknown_calls - coalesce(d.gone_unknown_calls, 0), y.gone_gap_calls - coalesce(d.gone_gap_calls, 0)
    from spend_sum as y left join (select organization, scope, subject, {start of year: start_ms} as year_ms, {sum spent_nano} as spent_nano,
      cast(sum(calls) as bigint) as calls, cast(sum(unknown_calls) as bigint) as unknown_calls, cast(sum(gap_calls) as bigint) as gap_calls,
      {sum gone_nano} as gone_nano, cast(sum(gone_calls) as bigint) as gone_calls, cast(sum(gone_unknown_calls) as bigint) as gone_unknown_calls,
      cast(sum(gone_gap_calls) as bigint) as gone_gap_calls
      from spend_sum where "window" = 'day' group by 1, 2, 3, 4) as d
      on d.organization = y.organization and d.scope = y.scope and d.subject = y.subject and d.year_ms = y.start_ms
    where y."window" = 'year' and (y.calls > coalesce(d.calls, 0) or y.spent_nano > coalesce(d.spent_nano, 0))
    on conflict (organization, scope, subject, day_ms) do update set
      spent_nano = spend_day.spent_nano + excluded.spent_nano, calls = spend_day.calls + excluded.calls, unknown_calls = spend_day.unknown_calls +
        excluded.unknown_calls, gap_calls = spend_day.gap_calls + excluded.gap_calls, gone_nano = spend_day.gone_nano + excluded.gone_nano,
        gone_calls = spend_day.gone_calls + excluded.gone_calls, gone_unknown_calls = spend_day.gone_unknown_calls + excluded.gone_unknown_calls,
        gone_gap_calls = spend_day.gone_gap_calls + excluded.gone_gap_calls
-- sqlite only
drop table spend_sum
-- postgres only
create function spend_of_older_gateways() returns trigger language plpgsql as $body$ begin
      insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls,
        gone_unknown_calls, gone_gap_calls)
      values (new.organization, new.scope, new.subject, case new."window" when 'day' then new.start_ms else -1 end, new.spent_nano -
        coalesce(old.spent_nano, 0), new.calls - coalesce(old.calls, 0), new.unknown_calls - coalesce(old.unknown_calls, 0), new.gap_calls -
        coalesce(old.gap_calls, 0), new.gone_nano - coalesce(old.gone_nano, 0), new.gone_calls - coalesce(old.gone_calls, 0), new.gone_unknown_calls
        - coalesce(old.gone_unknown_calls, 0), new.gone_gap_calls - coalesce(old.gone_gap_calls, 0))
      on conflict (organization, scope, subject, day_ms) do update set spent_nano = least(spend_day.spent_nano, 9223372036854775807 -
        excluded.spent_nano) + excluded.spent_nano, calls = spend_day.calls + excluded.calls, unknown_calls = spend_day.unknown_calls +
        excluded.unknown_calls, gap_calls = spend_day.gap_calls + excluded.gap_calls, gone_nano = least(spend_day.gone_nano, 9223372036854775807 -
        excluded.gone_nano) + excluded.gone_nano, gone_calls = spend_day.gone_calls + excluded.gone_calls, gone_unknown_calls =
        spend_day.gone_unknown_calls + excluded.gone_unknown_calls, gone_gap_calls = spend_day.gone_gap_calls + excluded.gone_gap_calls;
      return null;
    end $body$
-- postgres only
create trigger to_days after insert or update on spend_sum for each row
      when (new."window" in ('day', 'lifetime') and pg_trigger_depth() = 0) execute function spend_of_older_gateways()
-- postgres only
create function spend_for_older_gateways() returns trigger language plpgsql as $body$ begin
      if tg_op = 'DELETE' then
        delete from spend_sum where organization = old.organization and scope = old.scope and subject = old.subject
          and (old.day_ms = -1 or ("window" = 'day' and start_ms = old.day_ms));
      elsif exists (select 1 from gateway_node where keeps_days = 0) then
        insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls,
          gone_unknown_calls, gone_gap_calls)
        select new.organization, new.scope, new.subject, w.name, w.start_ms, new.spent_nano - coalesce(old.spent_nano, 0), new.calls -
          coalesce(old.calls, 0), new.unknown_calls - coalesce(old.unknown_calls, 0), new.gap_calls - coalesce(old.gap_calls, 0), new.gone_nano -
          coalesce(old.gone_nano, 0), new.gone_calls - coalesce(old.gone_calls, 0), new.gone_unknown_calls - coalesce(old.gone_unknown_calls, 0),
          new.gone_gap_calls - coalesce(old.gone_gap_calls, 0) from (values
          ('lifetime', cast(0 as bigint)), ('day', new.day_ms), ('week', new.day_ms - (new.day_ms + 259200000) % 604800000),
          ('month', {start of month: new.day_ms}), ('year', {start of year: new.day_ms})) as w (name, start_ms)
        where (w.name = 'lifetime') = (new.day_ms = -1)
        on conflict (organization, scope, subject, "window", start_ms) do update set spent_nano = least(spend_sum.spent_nano, 9223372036854775807 -
          excluded.spent_nano) + excluded.spent_nano, calls = spend_sum.calls + excluded.calls, unknown_calls = spend_sum.unknown_calls +
          excluded.unknown_calls, gap_calls = spend_sum.gap_calls + excluded.gap_calls, gone_nano = least(spend_sum.gone_nano, 9223372036854775807 -
          excluded.gone_nano) + excluded.gone_nano, gone_calls = spend_sum.gone_calls + excluded.gone_calls, gone_unknown_calls =
          spend_sum.gone_unknown_calls + excluded.gone_unknown_calls, gone_gap_calls = spend_sum.gone_gap_calls + excluded.gone_gap_calls;
      end if;
      return null;
    end $body$
-- postgres only
create trigger to_windows after insert or update or delete on spend_day for each row
      when (pg_trigger_depth() = 0) execute function spend_for_older_gateways()
