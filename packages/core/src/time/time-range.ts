/** The time range of a report: a month, or from one instant to another, or the report's default. Rules: `usage`. */
import { momentOf, type TimeWord } from './time-word.ts';
import { dayLengthMs } from './utc-day.ts';
import { monthAfter, monthOf } from './utc-month.ts';

/** As asked for. `monthMs`: the first instant of a month. `until` is exclusive. */
export interface RangeWords {
  readonly monthMs?: number | undefined;
  readonly since?: TimeWord | undefined;
  readonly until?: TimeWord | undefined;
}

/** Milliseconds since the epoch, `untilMs` exclusive; a missing end is open. */
export interface TimeRange {
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

export type RangeFault = 'month_and_range' | 'ends_before_it_begins';

/** The range at `nowMs`. An empty range is valid; one that ends before it begins is not. */
export function rangeOf({ monthMs, since, until }: RangeWords, nowMs: number): TimeRange | RangeFault {
  if (monthMs !== undefined) {
    return since === undefined && until === undefined ? { sinceMs: monthMs, untilMs: monthAfter(monthMs) } : 'month_and_range';
  }
  const sinceMs = since === undefined ? undefined : momentOf(since, nowMs);
  const untilMs = until === undefined ? undefined : momentOf(until, nowMs);
  if (sinceMs !== undefined && untilMs !== undefined && untilMs < sinceMs) return 'ends_before_it_begins';
  return { ...(sinceMs === undefined ? {} : { sinceMs }), ...(untilMs === undefined ? {} : { untilMs }) };
}

/** The same, with the month of `nowMs` by default. */
export function rangeOrThisMonth(words: RangeWords, nowMs: number): TimeRange | RangeFault {
  const asked = words.monthMs !== undefined || words.since !== undefined || words.until !== undefined;
  return rangeOf(asked ? words : { monthMs: monthOf(nowMs) }, nowMs);
}

const weekMs = 7 * dayLengthMs;

/** The range with both its ends: up to `nowMs` and from a week before its end, if nothing else was asked for. */
export function pastWeekUnless({ sinceMs, untilMs }: TimeRange, nowMs: number): Required<TimeRange> {
  const endMs = untilMs ?? nowMs;
  return { sinceMs: sinceMs ?? endMs - weekMs, untilMs: endMs };
}
