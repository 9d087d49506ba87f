/** Counts of things as text for people: `1 call`, `1,250,000 calls`. */
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';

/** `thing`: one of them, by a noun whose plural ends in `s`. */
export function countOf(count: number, thing: string): string {
  return count === 1 ? `1 ${thing}` : `${grouped(count)} ${thing}s`;
}
