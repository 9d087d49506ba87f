/**
 * Spend is kept by day: a row of `spend_day` for each subject and day with calls, and one row for all its days together. A window is a range
 * of these rows, so a new window has no rows of its own and nothing to fill (decision 0112).
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
  return sql<CapSpend>`(select c.id as cap, ${sql.raw(spentOf(engine))} as spent_nano,
      ${sql.raw(['unknown_calls', 'unpriced_calls', 'gap_calls'].map((name) => `cast(coalesce(sum(s.${name}), 0) as bigint) as ${name}`).join(', '))}
    from cap as c left join spend_day as s on s.organization = c.organization and s.scope = c.scope and s.subject = c.subject
      and s.day_ms >= ${at('fromMs')} and s.day_ms < ${at('toMs')}
    where ${those} group by c.id)`;
}
