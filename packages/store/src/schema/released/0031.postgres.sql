create table spend_day (organization text collate "C" not null, scope text collate "C" not null, subject text collate "C" not null, day_ms bigint not null,
    spent_nano bigint not null, calls bigint not null, unknown_calls bigint not null, gap_calls bigint not null, gone_nano bigint not null default 0, gone_calls bigint not null default 0, gone_unknown_calls bigint not null default 0, gone_gap_calls bigint not null default 0,
    constraint spend_day_pk primary key (organization, scope, subject, day_ms));
--
alter table gateway_node add column keeps_days bigint not null default 0;
--
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls, gone_gap_calls)
    select organization, scope, subject, case "window" when 'day' then start_ms else -1 end, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls, gone_gap_calls
    from spend_sum where "window" in ('day', 'lifetime');
--
insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls, gone_gap_calls)
    select y.organization, y.scope, y.subject, y.start_ms, y.spent_nano - coalesce(d.spent_nano, 0), y.calls - coalesce(d.calls, 0), y.unknown_calls - coalesce(d.unknown_calls, 0), y.gap_calls - coalesce(d.gap_calls, 0), y.gone_nano - coalesce(d.gone_nano, 0), y.gone_calls - coalesce(d.gone_calls, 0), y.gone_unknown_calls - coalesce(d.gone_unknown_calls, 0), y.gone_gap_calls - coalesce(d.gone_gap_calls, 0)
    from spend_sum as y left join (select organization, scope, subject, cast(extract(epoch from date_trunc('year', to_timestamp(start_ms / 1000) at time zone 'UTC')) * 1000 as bigint) as year_ms, cast(least(sum(coalesce(spent_nano, 0)), 9223372036854775807) as bigint) as spent_nano, cast(sum(calls) as bigint) as calls, cast(sum(unknown_calls) as bigint) as unknown_calls, cast(sum(gap_calls) as bigint) as gap_calls, cast(least(sum(coalesce(gone_nano, 0)), 9223372036854775807) as bigint) as gone_nano, cast(sum(gone_calls) as bigint) as gone_calls, cast(sum(gone_unknown_calls) as bigint) as gone_unknown_calls, cast(sum(gone_gap_calls) as bigint) as gone_gap_calls
      from spend_sum where "window" = 'day' group by 1, 2, 3, 4) as d
      on d.organization = y.organization and d.scope = y.scope and d.subject = y.subject and d.year_ms = y.start_ms
    where y."window" = 'year' and (y.calls > coalesce(d.calls, 0) or y.spent_nano > coalesce(d.spent_nano, 0))
    on conflict (organization, scope, subject, day_ms) do update set
      spent_nano = spend_day.spent_nano + excluded.spent_nano, calls = spend_day.calls + excluded.calls, unknown_calls = spend_day.unknown_calls + excluded.unknown_calls, gap_calls = spend_day.gap_calls + excluded.gap_calls, gone_nano = spend_day.gone_nano + excluded.gone_nano, gone_calls = spend_day.gone_calls + excluded.gone_calls, gone_unknown_calls = spend_day.gone_unknown_calls + excluded.gone_unknown_calls, gone_gap_calls = spend_day.gone_gap_calls + excluded.gone_gap_calls;
--
create function spend_of_older_gateways() returns trigger language plpgsql as $body$ begin
      insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls, gone_gap_calls)
      values (new.organization, new.scope, new.subject, case new."window" when 'day' then new.start_ms else -1 end, new.spent_nano - coalesce(old.spent_nano, 0), new.calls - coalesce(old.calls, 0), new.unknown_calls - coalesce(old.unknown_calls, 0), new.gap_calls - coalesce(old.gap_calls, 0), new.gone_nano - coalesce(old.gone_nano, 0), new.gone_calls - coalesce(old.gone_calls, 0), new.gone_unknown_calls - coalesce(old.gone_unknown_calls, 0), new.gone_gap_calls - coalesce(old.gone_gap_calls, 0))
      on conflict (organization, scope, subject, day_ms) do update set spent_nano = least(spend_day.spent_nano, 9223372036854775807 - excluded.spent_nano) + excluded.spent_nano, calls = spend_day.calls + excluded.calls, unknown_calls = spend_day.unknown_calls + excluded.unknown_calls, gap_calls = spend_day.gap_calls + excluded.gap_calls, gone_nano = least(spend_day.gone_nano, 9223372036854775807 - excluded.gone_nano) + excluded.gone_nano, gone_calls = spend_day.gone_calls + excluded.gone_calls, gone_unknown_calls = spend_day.gone_unknown_calls + excluded.gone_unknown_calls, gone_gap_calls = spend_day.gone_gap_calls + excluded.gone_gap_calls;
      return null;
    end $body$;
--
create trigger to_days after insert or update on spend_sum for each row
      when (new."window" in ('day', 'lifetime') and pg_trigger_depth() = 0) execute function spend_of_older_gateways();
--
create function spend_for_older_gateways() returns trigger language plpgsql as $body$ begin
      if tg_op = 'DELETE' then
        delete from spend_sum where organization = old.organization and scope = old.scope and subject = old.subject
          and (old.day_ms = -1 or ("window" = 'day' and start_ms = old.day_ms));
      elsif exists (select 1 from gateway_node where keeps_days = 0) then
        insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls, gone_gap_calls)
        select new.organization, new.scope, new.subject, w.name, w.start_ms, new.spent_nano - coalesce(old.spent_nano, 0), new.calls - coalesce(old.calls, 0), new.unknown_calls - coalesce(old.unknown_calls, 0), new.gap_calls - coalesce(old.gap_calls, 0), new.gone_nano - coalesce(old.gone_nano, 0), new.gone_calls - coalesce(old.gone_calls, 0), new.gone_unknown_calls - coalesce(old.gone_unknown_calls, 0), new.gone_gap_calls - coalesce(old.gone_gap_calls, 0) from (values
          ('lifetime', cast(0 as bigint)), ('day', new.day_ms), ('week', new.day_ms - (new.day_ms + 259200000) % 604800000),
          ('month', cast(extract(epoch from date_trunc('month', to_timestamp(new.day_ms / 1000) at time zone 'UTC')) * 1000 as bigint)), ('year', cast(extract(epoch from date_trunc('year', to_timestamp(new.day_ms / 1000) at time zone 'UTC')) * 1000 as bigint))) as w (name, start_ms)
        where (w.name = 'lifetime') = (new.day_ms = -1)
        on conflict (organization, scope, subject, "window", start_ms) do update set spent_nano = least(spend_sum.spent_nano, 9223372036854775807 - excluded.spent_nano) + excluded.spent_nano, calls = spend_sum.calls + excluded.calls, unknown_calls = spend_sum.unknown_calls + excluded.unknown_calls, gap_calls = spend_sum.gap_calls + excluded.gap_calls, gone_nano = least(spend_sum.gone_nano, 9223372036854775807 - excluded.gone_nano) + excluded.gone_nano, gone_calls = spend_sum.gone_calls + excluded.gone_calls, gone_unknown_calls = spend_sum.gone_unknown_calls + excluded.gone_unknown_calls, gone_gap_calls = spend_sum.gone_gap_calls + excluded.gone_gap_calls;
      end if;
      return null;
    end $body$;
--
create trigger to_windows after insert or update or delete on spend_day for each row
      when (pg_trigger_depth() = 0) execute function spend_for_older_gateways();
