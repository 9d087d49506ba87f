/**
 * Spend by day (decision 0112): `spend_day` has a row for each subject and day with calls, and one with the day -1 for all its days. Weeks,
 * months and years are ranges of days. It is filled from the sums by window, which also hold what records spent that are gone for their age.
 * The days of such records may be gone too: what a year's sum has more than its days stands on the year's first day. So the sums of all years
 * stay, and of every week and month whose days are all there, as are those of the past 31 days.
 *
 * On SQLite the sums by window go. On PostgreSQL they stay for running gateways of the version before, which read and write them: triggers
 * carry what such a gateway writes to the days, and what others write to its sums while one is there. A later version drops them.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { saturatedSum } from './saturated-sum.ts';

const figures = ['spent_nano', 'calls', 'unknown_calls', 'gap_calls', 'gone_nano', 'gone_calls', 'gone_unknown_calls', 'gone_gap_calls'];

export const spendDays: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? ['text', 'integer'] : ['text collate "C"', 'bigint'];
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  await run(`create table spend_day (organization ${text} not null, scope ${text} not null, subject ${text} not null, day_ms ${whole} not null,
    ${figures.map((name) => `${name} ${whole} not null${name.startsWith('gone') ? ' default 0' : ''}`).join(', ')},
    constraint spend_day_pk primary key (organization, scope, subject, day_ms)) ${engine === 'sqlite' ? 'strict, without rowid' : ''}`);
  await run(`alter table gateway_node add column keeps_days ${whole} not null default 0`);
  // Nobody writes between the filling and the triggers.
  if (engine === 'postgres') await run('lock table spend_sum in share row exclusive mode');
  await run(`insert into spend_day (organization, scope, subject, day_ms, ${figures.join(', ')})
    select organization, scope, subject, case "window" when 'day' then start_ms else -1 end, ${figures.join(', ')}
    from spend_sum where "window" in ('day', 'lifetime')`);
  const inDays = figures.map((name) => `${name.endsWith('_nano') ? saturatedSum(engine, name) : `cast(sum(${name}) as bigint)`} as ${name}`);
  await run(`insert into spend_day (organization, scope, subject, day_ms, ${figures.join(', ')})
    select y.organization, y.scope, y.subject, y.start_ms, ${figures.map((name) => `y.${name} - coalesce(d.${name}, 0)`).join(', ')}
    from spend_sum as y left join (select organization, scope, subject, ${startOf(engine, 'year', 'start_ms')} as year_ms, ${inDays.join(', ')}
      from spend_sum where "window" = 'day' group by 1, 2, 3, 4) as d
      on d.organization = y.organization and d.scope = y.scope and d.subject = y.subject and d.year_ms = y.start_ms
    where y."window" = 'year' and (y.calls > coalesce(d.calls, 0) or y.spent_nano > coalesce(d.spent_nano, 0))
    on conflict (organization, scope, subject, day_ms) do update set
      ${figures.map((name) => `${name} = spend_day.${name} + excluded.${name}`).join(', ')}`);
  if (engine === 'sqlite') await run('drop table spend_sum');
  else for (const statement of bridge()) await run(statement);
};

function startOf(engine: 'sqlite' | 'postgres', unit: 'month' | 'year', ms: string): string {
  return engine === 'sqlite' ? `cast(strftime('%s', ${ms} / 1000, 'unixepoch', 'start of ${unit}') as integer) * 1000`
    : `cast(extract(epoch from date_trunc('${unit}', to_timestamp(${ms} / 1000) at time zone 'UTC')) * 1000 as bigint)`;
}

/** Each trigger is still while the other one writes. All writers of an organization's sums hold its chain's lock, so the two take turns. */
function bridge(): readonly string[] {
  const grown = figures.map((name) => `new.${name} - coalesce(old.${name}, 0)`).join(', ');
  const added = (table: string): string => figures.map((name) => (name.endsWith('_nano')
    ? `${name} = least(${table}.${name}, 9223372036854775807 - excluded.${name}) + excluded.${name}`
    : `${name} = ${table}.${name} + excluded.${name}`)).join(', ');
  const month = startOf('postgres', 'month', 'new.day_ms');
  const year = startOf('postgres', 'year', 'new.day_ms');
  return [
    `create function spend_of_older_gateways() returns trigger language plpgsql as $body$ begin
      insert into spend_day (organization, scope, subject, day_ms, ${figures.join(', ')})
      values (new.organization, new.scope, new.subject, case new."window" when 'day' then new.start_ms else -1 end, ${grown})
      on conflict (organization, scope, subject, day_ms) do update set ${added('spend_day')};
      return null;
    end $body$`,
    `create trigger to_days after insert or update on spend_sum for each row
      when (new."window" in ('day', 'lifetime') and pg_trigger_depth() = 0) execute function spend_of_older_gateways()`,
    `create function spend_for_older_gateways() returns trigger language plpgsql as $body$ begin
      if tg_op = 'DELETE' then
        delete from spend_sum where organization = old.organization and scope = old.scope and subject = old.subject
          and (old.day_ms = -1 or ("window" = 'day' and start_ms = old.day_ms));
      elsif exists (select 1 from gateway_node where keeps_days = 0) then
        insert into spend_sum (organization, scope, subject, "window", start_ms, ${figures.join(', ')})
        select new.organization, new.scope, new.subject, w.name, w.start_ms, ${grown} from (values
          ('lifetime', cast(0 as bigint)), ('day', new.day_ms), ('week', new.day_ms - (new.day_ms + 259200000) % 604800000),
          ('month', ${month}), ('year', ${year})) as w (name, start_ms)
        where (w.name = 'lifetime') = (new.day_ms = -1)
        on conflict (organization, scope, subject, "window", start_ms) do update set ${added('spend_sum')};
      end if;
      return null;
    end $body$`,
    `create trigger to_windows after insert or update or delete on spend_day for each row
      when (pg_trigger_depth() = 0) execute function spend_for_older_gateways()`,
  ];
}
