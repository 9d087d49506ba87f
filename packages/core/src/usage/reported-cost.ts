/**
 * The cost that a declared upstream reports: `usage.cost`, else `usage.total_cost`, as the JSON number was written.
 * Rule 6: only a finite number from 0 is a cost; anything else is ignored.
 */
import type { WatchedValue } from '../json/watched-value.ts';

/** The first of the places that holds a cost, as text; null if none does. */
export function reportedCost(places: readonly WatchedValue[]): string | null {
  for (const place of places) {
    const text = place.numberText();
    if (text === null) continue;
    const value = Number(text);
    if (Number.isFinite(value) && value >= 0) return text.startsWith('-') ? '0' : text;
  }
  return null;
}
