/**
 * How people and scripts write a time, on the command line and over HTTP alike: an instant with its offset, a date, a month,
 * `today`, `yesterday`, or a duration ago (`7d`). Rules: Interfaces. Every form means one instant: a date or a month its first, in UTC.
 */
import { dayLengthMs, dayOf } from './utc-day.ts';
import { timestampMs } from './timestamp.ts';

/** A time as written. Words that depend on the present are resolved by `momentOf`, where the present is known. */
export type TimeWord =
  | { readonly kind: 'at'; readonly ms: number }
  | { readonly kind: 'ago'; readonly ms: number }
  | { readonly kind: 'day'; readonly daysAgo: number };

/** Ends a sentence such as "--since must be …". */
export const timeForms = 'an instant with its offset (2026-11-01T14:00:00Z), a date (2026-11-01), a month (2026-11), today, yesterday, '
  + 'or a duration ago (15m, 24h, 7d)';
/** The same for months only. */
export const monthForm = 'a month such as 2026-11';

const daysAgo: ReadonlyMap<string, number> = new Map([['today', 0], ['yesterday', 1]]);
const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: dayLengthMs } as const;
/** A hundred years: anything further back is a typing error. */
const agoMaxMs = 36_525 * dayLengthMs;
/** Seconds may be left out, as ISO 8601 allows. */
const withoutSeconds = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(Z|[+-]\d\d:\d\d)$/i;

/** Null: not a time. */
export function parseTime(text: string): TimeWord | null {
  const days = daysAgo.get(text);
  if (days !== undefined) return { kind: 'day', daysAgo: days };
  const ago = durationMs(text);
  if (ago !== null) return ago <= agoMaxMs ? { kind: 'ago', ms: ago } : null;
  const ms = parseMonth(text) ?? timestampMs(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text.replace(withoutSeconds, '$1:00$2'));
  return ms === null ? null : { kind: 'at', ms };
}

/** The first instant of a month written `2026-11`. Null: not a month. */
export function parseMonth(text: string): number | null {
  return /^\d{4}-\d\d$/.test(text) ? timestampMs(`${text}-01T00:00:00Z`) : null;
}

/** `30s`, `15m`, `24h`, `7d` → milliseconds, above 0. Null: not a duration. */
export function durationMs(text: string): number | null {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  if (match === null) return null;
  const ms = Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
  return ms > 0 ? ms : null;
}

/** The instant that a word means at `nowMs`, milliseconds since the epoch. */
export function momentOf(word: TimeWord, nowMs: number): number {
  if (word.kind === 'at') return word.ms;
  return word.kind === 'ago' ? nowMs - word.ms : dayOf(nowMs) - word.daysAgo * dayLengthMs;
}
