/**
 * When a cap will be reached at the pace of the last days. The pace is the spend since 00:00 UTC of the first day with spend among today and
 * the six days before, divided by the time since then (at least an hour). There is no forecast if the window ends first.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';
import { dayLengthMs, dayOf } from '../time/utc-day.ts';

/** What was spent in one day. */
export interface SpentDay {
  /** 00:00 UTC. */
  readonly dayMs: number;
  readonly spent: NanoDollars;
}

export interface Forecast {
  /** Null: not at this pace, or not before the window ends. A cap that is reached: now. */
  readonly atMs: number | null;
  readonly pacePerDay: NanoDollars;
}

const paceDays = 7;
const leastMs = 3_600_000;

/** The first day that counts. */
export function paceSince(nowMs: number): number {
  return dayOf(nowMs) - (paceDays - 1) * dayLengthMs;
}

/** `endMs`: where the window ends; null: never. Days before `paceSince` are left out. */
export function forecastOf(
  days: readonly SpentDay[],
  { spent, limit, endMs, nowMs }: { readonly spent: NanoDollars; readonly limit: NanoDollars; readonly endMs: number | null; readonly nowMs: number },
): Forecast {
  const counted = days.filter(({ dayMs, spent: each }) => dayMs >= paceSince(nowMs) && dayMs <= nowMs && each > 0n);
  const sum = counted.reduce((total, { spent: each }) => total + each, 0n);
  const sinceMs = Math.min(...counted.map(({ dayMs }) => dayMs));
  const elapsedMs = BigInt(Math.ceil(counted.length === 0 ? leastMs : Math.max(leastMs, nowMs - sinceMs)));
  const pacePerDay = nanoDollars((sum * BigInt(dayLengthMs)) / elapsedMs);
  if (spent >= limit) return { atMs: nowMs, pacePerDay };
  if (sum === 0n) return { atMs: null, pacePerDay };
  const aheadMs = ((limit - spent) * elapsedMs + sum - 1n) / sum;
  const atMs = BigInt(Math.floor(nowMs)) + aheadMs;
  return { atMs: atMs > farthestMs || (endMs !== null && atMs >= BigInt(endMs)) ? null : Number(atMs), pacePerDay };
}

/** The last instant that a date can hold. */
const farthestMs = 8_640_000_000_000_000n;
