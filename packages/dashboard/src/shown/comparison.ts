/**
 * A figure against the same length of time before, in words. While the time still runs, both times are cut: the later one at its last full hour,
 * the earlier one as long before.
 */
import { change } from './amounts.ts';
import { utcHour } from './moments.ts';
import { timeBefore } from './ranges.ts';

/** The later of the two times. */
export interface ComparedTime {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Where it is cut; `untilMs`: nowhere. */
  readonly comparedUntilMs: number;
}

export interface Compared {
  readonly now: number;
  readonly before: number;
  /** What is compared, as in `no calls`. */
  readonly of: string;
}

/** The time of a report that says up to when it is compared. */
export function comparedTime(
  report: { readonly since: string; readonly until: string; readonly comparison: { readonly until: string } },
): ComparedTime {
  const { since, until, comparison } = report;
  return { sinceMs: Date.parse(since), untilMs: Date.parse(until), comparedUntilMs: Date.parse(comparison.until) };
}

/** `−5% against the 7 days before, both up to 14:00 UTC`; where there was none of it, that is said, as nothing is missing then. */
export function comparedWith({ now, before, of }: Compared, time: ComparedTime): string {
  if (time.comparedUntilMs <= time.sinceMs) return 'not compared in its first hour';
  const earlier = timeBefore(time);
  const cut = time.comparedUntilMs < time.untilMs ? `up to ${utcHour(time.comparedUntilMs)}` : null;
  const share = change(now, before);
  if (share === null) return cut === null ? `no ${of} in ${earlier}` : `no ${of} in ${earlier} ${cut}`;
  return cut === null ? `${share} against ${earlier}` : `${share} against ${earlier}, both ${cut}`;
}

/** The refusals of a report against those before. */
export function refusalsCompared({ since, until, comparison }: {
  readonly since: string;
  readonly until: string;
  readonly comparison: { readonly until: string; readonly total: number; readonly before: number } | null;
}): string {
  if (comparison === null) return 'those before are no longer kept';
  return comparedWith({ now: comparison.total, before: comparison.before, of: 'refusals' }, comparedTime({ since, until, comparison }));
}
