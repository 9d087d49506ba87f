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

interface Forecast {
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

/** What was spent since the first of these days with spend, and how long that is: at least an hour. */
function paceOf(days: readonly SpentDay[], nowMs: number): { readonly sum: bigint; readonly elapsedMs: bigint } {
  const counted = days.filter(({ dayMs, spent: each }) => dayMs >= paceSince(nowMs) && dayMs <= nowMs && each > 0n);
  const sum = counted.reduce((total, { spent: each }) => total + each, 0n);
  const sinceMs = Math.min(...counted.map(({ dayMs }) => dayMs));
  return { sum, elapsedMs: BigInt(Math.ceil(counted.length === 0 ? leastMs : Math.max(leastMs, nowMs - sinceMs))) };
}

/** What a window will come to: what was spent in it, and the same pace until it ends. Days before `paceSince` are left out. */
export function expectedBy(
  days: readonly SpentDay[], { spent, endMs, nowMs }: { readonly spent: NanoDollars; readonly endMs: number; readonly nowMs: number },
): NanoDollars {
  const { sum, elapsedMs } = paceOf(days, nowMs);
  return nanoDollars(spent + (sum * BigInt(Math.max(0, Math.floor(endMs - nowMs)))) / elapsedMs);
}

/** `endMs`: where the window ends; null: never. Days before `paceSince` are left out. */
export function forecastOf(
  days: readonly SpentDay[],
  { spent, limit, endMs, nowMs }: { readonly spent: NanoDollars; readonly limit: NanoDollars; readonly endMs: number | null; readonly nowMs: number },
): Forecast {
  const { sum, elapsedMs } = paceOf(days, nowMs);
  const pacePerDay = nanoDollars((sum * BigInt(dayLengthMs)) / elapsedMs);
  if (spent >= limit) return { atMs: nowMs, pacePerDay };
  if (sum === 0n) return { atMs: null, pacePerDay };
  const aheadMs = ((limit - spent) * elapsedMs + sum - 1n) / sum;
  const atMs = BigInt(Math.floor(nowMs)) + aheadMs;
  return { atMs: atMs > farthestMs || (endMs !== null && atMs >= BigInt(endMs)) ? null : Number(atMs), pacePerDay };
}

/** The last instant that a date can hold. */
const farthestMs = 8_640_000_000_000_000n;
