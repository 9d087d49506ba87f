/** Months as addresses and the platform write them: `2026-10`, in UTC. */

/** As one says it: `October 2026`. */
export function monthTitle(month: string): string {
  return new Date(`${month}-01`).toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** The month that was over last. */
export function lastMonth(now: Date): string {
  return monthBefore(now.toISOString().slice(0, 7));
}

export function monthBefore(month: string): string {
  const first = new Date(`${month}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() - 1);
  return first.toISOString().slice(0, 7);
}
