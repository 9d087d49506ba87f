/**
 * Days, in UTC, for spend, reports and the Baseline alike. A day is a whole number of milliseconds, since UTC as computers count
 * it has no other days.
 */

export const dayLengthMs = 86_400_000;

/** 00:00 UTC of the day that holds `instantMs`. */
export function dayOf(instantMs: number): number {
  return Math.floor(instantMs / dayLengthMs) * dayLengthMs;
}

/** 00:00 UTC of the day after the one that begins at `dayMs`. */
export function dayAfter(dayMs: number): number {
  return dayMs + dayLengthMs;
}
