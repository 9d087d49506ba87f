/**
 * Spend is kept by day: a row of `spend_day` for each subject and day with calls, and one row for all its days together. A window is a range
 * of these rows, so a new window has no rows and nothing to fill (decision 0112).
 */
import { calendarWindows, windowAt, type WindowBounds } from '@metergate/core/spend/window.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Engine } from '../engine/engine.ts';

/** The day of a row for all days: before every real day, so that no other window holds it. */
export const allDaysMs = -1;

/** The rows of a window: from `fromMs` on, before `toMs`. */
export interface DayRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A window without an end is the row of all days. */
export function daysOf({ startMs, endMs }: WindowBounds): DayRange {
  return endMs === null ? { fromMs: allDaysMs, toMs: 0 } : { fromMs: Math.max(0, startMs), toMs: endMs };
}

/** Start of the longest window with an end that holds `atMs`: every window that holds an earlier day is over at `atMs`. */
export function longestStartMs(atMs: number): number {
  return Math.min(...calendarWindows.map((window) => windowAt(window, atMs)).flatMap(({ startMs, endMs }) => (endMs === null ? [] : [startMs])));
}

const bound = '9223372036854775807';

/** What the rows of `s` spent, as SQL. It stops at the 64-bit bound, where SQLite's own `sum` fails: there both halves are added up separately. */
export function spentOf(engine: Engine['kind']): string {
  if (engine === 'postgres') return `cast(least(coalesce(sum(s.spent_nano), 0), ${bound}) as bigint)`;
  const [high, low] = ['sum(s.spent_nano >> 32)', 'sum(s.spent_nano & 4294967295)'];
  return `coalesce(case when ${high} + (${low} >> 32) > 2147483647 then ${bound} else (${high} << 32) + ${low} end, 0)`;
}

/**
 * The days of a subject's spend between two instants, as SQL: one select for each place they are kept in. A person's are those of all their keys.
 * A label's are in the sums of usage, and what was removed for its age beside the others; those have no row of all days. `of`: the names of
 * organization, scope, subject and bounds in SQL. The days with calls come first for a label: the sums of usage begin with the day.
 */
export function daysSpent(
  columns: readonly DayColumn[], of: { readonly [Name in 'organization' | 'scope' | 'subject' | 'from' | 'to']: string },
): string {
  const within = (day: string): string => `${day} >= ${of.from} and ${day} < ${of.to}`;
  const named = (table: string): string => columns
    .map((name) => `${table}.${name === 'spent_nano' && table === 'u' ? 'cost_nano as spent_nano' : name}`)
    .join(', ');
  return `select ${named('d')} from spend_day as d
      where d.organization = ${of.organization} and d.scope = ${of.scope} and d.subject = ${of.subject} and ${within('d.day_ms')}
    union all select ${named('d')} from service_key as k
        join spend_day as d on d.organization = ${of.organization} and d.scope = 'key' and d.subject = k.id
      where ${of.scope} = 'person' and k.organization = ${of.organization} and k.person = ${of.subject} and ${within('d.day_ms')}
    union all select ${named('u')} from usage_sum as a cross join usage_sum as u
      where ${of.scope} = 'label' and a.organization = ${of.organization} and a.dimension = 'day' and a.subject = ''
        and (${of.to} = 0 or (${within('a.day_ms')})) and u.organization = ${of.organization} and u.dimension = 'label' and u.day_ms = a.day_ms
        and u.subject = ${of.subject}`;
}

/** The columns of a leased subject in a table `v`. */
export const leasedDays = { organization: 'v.organization', scope: 'v.scope', subject: 'v.subject', from: 'v.from_ms', to: 'v.to_ms' } as const;

/** As `daysSpent`, with parameters in the order organization, scope, subject, from, to. */
export function daysSpentGiven(engine: Engine['kind'], columns: readonly DayColumn[]): string {
  const [organization, scope, subject, from, to] = [1, 2, 3, 4, 5].map((at) => `${engine === 'postgres' ? '$' : '?'}${at}`) as [string, ...string[]];
  return daysSpent(columns, { organization: organization!, scope: scope!, subject: subject!, from: from!, to: to! });
}

type DayColumn = 'spent_nano' | 'day_ms' | 'unknown_calls' | 'unpriced_calls' | 'gap_calls';

/** What was spent in the window of one cap. */
export interface CapSpend {
  readonly cap: string;
  readonly spent_nano: bigint;
  readonly unknown_calls: bigint;
  readonly unpriced_calls: bigint;
  readonly gap_calls: bigint;
}

/** The spend of caps in their windows that hold `atMs`, as a table with one row per cap. `those`: SQL over `c` that selects the caps. */
export function spendOfCaps(engine: Engine['kind'], atMs: number, those: RawBuilder<unknown>): RawBuilder<CapSpend> {
  const bounds = calendarWindows.map((window) => ({ window, ...daysOf(windowAt(window, atMs)) }));
  const at = (edge: keyof DayRange) => sql`case c."window" ${sql.join(bounds.map((each) =>
    sql`when ${sql.lit(each.window)} then ${sql.lit(each[edge])}`), sql` `)} end`;
  const figures = ['spent_nano', 'unknown_calls', 'unpriced_calls', 'gap_calls'] as const;
  const of = (table: string) => sql.raw(figures.map((name) => `${table}.${table === 'u' && name === 'spent_nano' ? 'cost_nano' : name}`).join(', '));
  const within = (day: string) => sql`${sql.raw(day)} >= ${at('fromMs')} and ${sql.raw(day)} < ${at('toMs')}`;
  // As `daysSpent` has them, for many caps in one statement.
  return sql<CapSpend>`(select s.cap, ${sql.raw(spentOf(engine))} as spent_nano,
      ${sql.raw(figures.slice(1).map((name) => `cast(coalesce(sum(s.${name}), 0) as bigint) as ${name}`).join(', '))}
    from (select c.id as cap, ${of('d')} from cap as c left join spend_day as d
        on d.organization = c.organization and d.scope = c.scope and d.subject = c.subject and ${within('d.day_ms')} where ${those}
      union all select c.id, ${of('d')} from cap as c join service_key as k on k.organization = c.organization and k.person = c.subject
        join spend_day as d on d.organization = c.organization and d.scope = 'key' and d.subject = k.id and ${within('d.day_ms')}
        where c.scope = 'person' and (${those})
      union all select c.id, ${of('u')} from cap as c join usage_sum as a on a.organization = c.organization and a.dimension = 'day'
          and a.subject = '' and (c."window" = 'lifetime' or (${within('a.day_ms')}))
        join usage_sum as u on u.organization = c.organization and u.dimension = 'label' and u.day_ms = a.day_ms and u.subject = c.subject
        where c.scope = 'label' and (${those})) as s group by s.cap)`;
}
