/** An instant as people and programs outside exchange it. */

/** ISO 8601 in UTC with milliseconds, as `Date` writes it; null: none. */
export function isoText(instantMs: number): string;
export function isoText(instantMs: number | null): string | null;
export function isoText(instantMs: number | null): string | null {
  return instantMs === null ? null : new Date(instantMs).toISOString();
}
