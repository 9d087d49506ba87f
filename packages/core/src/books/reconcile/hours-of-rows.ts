/**
 * The days of an export whose rows are hours. Google counts its days and months in Pacific time, and its rows name hours in UTC; so a file of one of
 * its days or months begins and ends at a Pacific midnight. Decision 350.
 */
import { dayLengthMs, dayName } from '../../time/utc-day.ts';
import { instantOf, type BillDay } from './bill-days.ts';

/** From the first hour that any row names to the end of the last. */
export interface RowHours {
  readonly fromMs: number;
  readonly toMs: number;
}

const hourMs = 3_600_000;

/** The hours that rows name together, whatever service they are of. Null: no row is of less than a day, so none names hours. */
export function hoursOfRows(times: Iterable<readonly [start: unknown, end: unknown]>): RowHours | null {
  let [fromMs, toMs] = [Infinity, -Infinity];
  for (const [start, end] of times) {
    const from = instantOf(start)?.ms;
    // A day without a time names no hour.
    if (from === undefined || (typeof start === 'string' && start.trim().length <= 10)) continue;
    const to = instantOf(end)?.ms ?? from + hourMs;
    if (to <= from || to - from > hourMs) continue;
    [fromMs, toMs] = [Math.min(from, fromMs), Math.max(to, toMs)];
  }
  return fromMs < toMs ? { fromMs, toMs } : null;
}

/** Whether the file was cut at a midnight of UTC: it begins or ends at one, and neither begins nor ends at one of Pacific time. */
export function isCutInUtc({ fromMs, toMs }: RowHours): boolean {
  const ends = [fromMs, toMs];
  return ends.some((ms) => ms % dayLengthMs === 0) && !ends.some((ms) => pacificDay(ms).fromMs === ms);
}

/** The days at the ends of a file that begin before its first row or end after its last: the rest of them may have been left out. */
export function cutDays(days: readonly BillDay[], hours: RowHours): ReadonlySet<string> {
  return new Set(days.filter(({ fromMs, toMs }) => (fromMs < hours.fromMs && hours.fromMs < toMs) || (fromMs < hours.toMs && hours.toMs < toMs))
    .map(({ day }) => day));
}

/** The day in Pacific time that an instant is in: of 23 or 25 hours where clocks change. */
export function pacificDay(ms: number): BillDay {
  const day = Math.floor((ms + pacificOffsetMs(ms)) / dayLengthMs) * dayLengthMs;
  return { day: dayName(day), fromMs: pacificMidnight(day), toMs: pacificMidnight(day + dayLengthMs) };
}

/** No clock changes between midnight and the hour that is midnight in winter. */
function pacificMidnight(day: number): number {
  return day - pacificOffsetMs(day + 8 * hourMs);
}

/** East of UTC, by the law of the United States since 2007: summer from the second Sunday of March to the first of November, at 2 o'clock each. */
function pacificOffsetMs(ms: number): number {
  const year = new Date(ms).getUTCFullYear();
  const isSummer = ms >= sundayFrom(year, 2, 8) + 10 * hourMs && ms < sundayFrom(year, 10, 1) + 9 * hourMs;
  return (isSummer ? -7 : -8) * hourMs;
}

/** 00:00 UTC of the first Sunday on or after this day. */
function sundayFrom(year: number, month: number, dayOfMonth: number): number {
  const ms = Date.UTC(year, month, dayOfMonth);
  return ms + ((7 - new Date(ms).getUTCDay()) % 7) * dayLengthMs;
}
