/**
 * A figure compared with the same length of time before, in words. While the time is running, both times are cut: the later one at its last full
 * hour, the earlier one after the same length.
 */
import { change } from './amounts.ts';
import { utcHour } from './moments.ts';
import { timeBefore } from './ranges.ts';

/** The later of the two times. */
export interface ComparedTime {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Where it is cut; equal to `untilMs`: nowhere. */
  readonly comparedUntilMs: number;
}

interface Compared {
  readonly now: number;
  readonly before: number;
  /** The unit of what is compared, as in `no calls`. */
  readonly of: string;
}

/** The period of a report, cut where its comparison ends. */
export function comparedTime(
  report: { readonly since: string; readonly until: string; readonly comparison: { readonly until: string } },
): ComparedTime {
  const { since, until, comparison } = report;
  return { sinceMs: Date.parse(since), untilMs: Date.parse(until), comparedUntilMs: Date.parse(comparison.until) };
}

/** How much a figure changed, beside which the two times are named once: `−5%`. */
export function changeAlone({ now, before, of }: Compared, time: ComparedTime): string {
  if (hasJustBegun(time)) return ' ';
  return change(now, before) ?? `no ${of} before`;
}

/** The two times by themselves: `the 7 days before`, `both up to 14:00 UTC`. */
export function timesCompared(time: ComparedTime): { readonly earlier: string; readonly cut: string } {
  if (hasJustBegun(time)) return { earlier: 'nothing yet', cut: 'in its first hour' };
  const isCut = time.comparedUntilMs < time.untilMs;
  return { earlier: timeBefore(time), cut: isCut ? `both up to ${utcHour(time.comparedUntilMs)}` : 'the whole of both' };
}

function hasJustBegun({ sinceMs, comparedUntilMs }: ComparedTime): boolean {
  return comparedUntilMs <= sinceMs;
}

/** `−5% against the 7 days before, both up to 14:00 UTC`. If there was nothing before, it says so, because no data is missing then. */
export function comparedWith({ now, before, of }: Compared, time: ComparedTime): string {
  if (hasJustBegun(time)) return 'not compared in its first hour';
  const earlier = timeBefore(time);
  const cut = time.comparedUntilMs < time.untilMs ? `up to ${utcHour(time.comparedUntilMs)}` : null;
  const share = change(now, before);
  if (share === null) return cut === null ? `no ${of} in ${earlier}` : `no ${of} in ${earlier}, ${cut}`;
  return cut === null ? `${share} against ${earlier}` : `${share} against ${earlier}, both ${cut}`;
}

/** Compares the refusals of a report with those before. */
export function refusalsCompared({ since, until, comparison }: {
  readonly since: string;
  readonly until: string;
  readonly comparison: { readonly until: string; readonly total: number; readonly before: number } | null;
}): string {
  if (comparison === null) return 'those before are no longer kept';
  return comparedWith({ now: comparison.total, before: comparison.before, of: 'refusals' }, comparedTime({ since, until, comparison }));
}
