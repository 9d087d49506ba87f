/** Calendar months, in UTC, for reports and statements. */

/** The first instant of the month that holds `instantMs`. */
export function monthOf(instantMs: number): number {
  return monthStart(instantMs, 0);
}

/** The first instant of the month after the one that holds `instantMs`. */
export function monthAfter(instantMs: number): number {
  return monthStart(instantMs, 1);
}

/** `2026-11` for any instant of that November. */
export function monthName(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, -'-01T00:00:00.000Z'.length);
}

function monthStart(instantMs: number, monthsLater: number): number {
  const at = new Date(instantMs);
  // `Date.UTC` reads years below 100 as years of the last century.
  const first = new Date(0);
  return first.setUTCFullYear(at.getUTCFullYear(), at.getUTCMonth() + monthsLater, 1);
}
