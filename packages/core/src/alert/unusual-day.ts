/**
 * Whether a day's spend is unusual: more than twice the largest spend of the same weekday in the four weeks before, and at least one dollar
 * above it. At least two of those four days must have had spend, or there is nothing to compare with.
 */
import type { SpentDay } from '../spend/forecast.ts';
import { nanoDollars, type NanoDollars } from '../money.ts';
import { dayLengthMs, dayOf } from '../time/utc-day.ts';

const weeks = 4;
const leastDays = 2;
const factor = 2n;
const leastAbove = 1_000_000_000n;

interface UnusualDay {
  /** 00:00 UTC. */
  readonly dayMs: number;
  readonly spent: NanoDollars;
  /** The largest spend of the same weekday in the four weeks before. */
  readonly usual: NanoDollars;
}

/** The first day whose spend must be known. */
export function unusualSince(nowMs: number): number {
  return dayOf(nowMs) - weeks * 7 * dayLengthMs;
}

/** Null: today is not unusual, so far. */
export function unusualDay(days: readonly SpentDay[], nowMs: number): UnusualDay | null {
  const dayMs = dayOf(nowMs);
  const spentOn = new Map(days.map((day) => [day.dayMs, day.spent]));
  const spent = spentOn.get(dayMs) ?? nanoDollars(0n);
  const before = Array.from({ length: weeks }, (_, week) => spentOn.get(dayMs - (week + 1) * 7 * dayLengthMs) ?? nanoDollars(0n));
  if (before.filter((each) => each > 0n).length < leastDays) return null;
  const usual = before.reduce((most, each) => (each > most ? each : most));
  return spent > usual * factor && spent - usual >= leastAbove ? { dayMs, spent, usual } : null;
}
