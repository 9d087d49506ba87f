/** Ranges of time as pages choose them: from the address to two instants, and the range of the same length before. */
import type { RangeSearch } from '../app/page-search.ts';

export interface Range {
  readonly sinceMs: number;
  /** Excluded. */
  readonly untilMs: number;
  /** The choice's name in the address; `custom`: two instants. */
  readonly name: string;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const lengths: Readonly<Record<string, number>> = { '1h': hourMs, '24h': dayMs, '7d': 7 * dayMs, '30d': 30 * dayMs, '90d': 90 * dayMs };

export const rangeChoices = [
  { value: '24h', label: 'Past 24 hours' },
  { value: '7d', label: 'Past 7 days' },
  { value: '30d', label: 'Past 30 days' },
  { value: '90d', label: 'Past 90 days' },
  { value: 'month', label: 'This month (UTC)' },
  { value: 'last-month', label: 'Last month (UTC)' },
  { value: 'custom', label: 'Chosen dates…' },
] as const;

/** `now` is cut to the minute, so that a view keeps asking for the same range while it is open. */
export function searchedRange({ range, since, until }: RangeSearch, nowMs: number, ownDefault = '7d'): Range {
  const [sinceMs, untilMs] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
  if (Number.isFinite(sinceMs) && Number.isFinite(untilMs) && sinceMs < untilMs) return { sinceMs, untilMs, name: 'custom' };
  const end = Math.ceil(nowMs / 60_000) * 60_000;
  const name = range ?? ownDefault;
  const now = new Date(nowMs);
  const monthMs = (offset: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1);
  if (name === 'month') return { sinceMs: monthMs(0), untilMs: Math.ceil(end / dayMs) * dayMs, name };
  if (name === 'last-month') return { sinceMs: monthMs(-1), untilMs: monthMs(0), name };
  const length = lengths[name];
  if (length === undefined) return { sinceMs: end - lengths[ownDefault]!, untilMs: end, name: ownDefault };
  // Begins at a whole hour or day, so that the first bar of a chart is not cut short.
  const step = length > 2 * dayMs ? dayMs : length > 2 * hourMs ? hourMs : 60_000;
  const wholeEnd = step === dayMs ? Math.ceil(end / dayMs) * dayMs : end;
  return { sinceMs: Math.ceil((wholeEnd - length) / step) * step, untilMs: wholeEnd, name };
}

export type RangeBounds = Pick<Range, 'sinceMs' | 'untilMs'>;

/**
 * The parts of a period and of the one before it that are compared, as the platform does it for hourly sums: while the period is running, up to its
 * last full hour, and the same length of the period before.
 */
export function comparedSpans({ sinceMs, untilMs }: RangeBounds, nowMs: number): { readonly now: RangeBounds; readonly before: RangeBounds } {
  const cutMs = Math.max(sinceMs, Math.min(untilMs, Math.floor(nowMs / hourMs) * hourMs));
  // Whole hours, so that the same hours of a day are compared.
  const lengthMs = cutMs === untilMs ? untilMs - sinceMs : Math.ceil((untilMs - sinceMs) / hourMs) * hourMs;
  return { now: { sinceMs, untilMs: cutMs }, before: { sinceMs: sinceMs - lengthMs, untilMs: cutMs - lengthMs } };
}

/** Words for the same length of time just before: `the 7 days before`. A part of an hour counts as one. */
export function timeBefore({ sinceMs, untilMs }: RangeBounds): string {
  const hours = Math.ceil((untilMs - sinceMs) / hourMs);
  if (hours <= 1) return 'the hour before';
  if (hours <= 48) return hours === 24 ? 'the 24 hours before' : `the ${hours} hours before`;
  return `the ${Math.round(hours / 24)} days before`;
}

export function isoOf(range: RangeBounds): { readonly since: string; readonly until: string } {
  return { since: new Date(range.sinceMs).toISOString(), until: new Date(range.untilMs).toISOString() };
}
