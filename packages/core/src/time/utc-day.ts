/**
 * Days, in UTC, for spend, reports and the Baseline alike. Every day has the same number of milliseconds, since computers count UTC without
 * leap seconds.
 */

export const dayLengthMs = 86_400_000;

/** 00:00 UTC of the day that holds `instantMs`. */
export function dayOf(instantMs: number): number {
  return Math.floor(instantMs / dayLengthMs) * dayLengthMs;
}

/** `2026-11-22`: the day that holds `instantMs`. */
export function dayName(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}

/** 00:00 UTC of the day after the one that begins at `dayMs`. */
export function dayAfter(dayMs: number): number {
  return dayMs + dayLengthMs;
}
