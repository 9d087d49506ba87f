/** Counts of things as text for people: `1 call`, `1,250,000 calls`. */

/** `thing`: one of them, by a noun whose plural ends in `s`. */
export function countOf(count: number, thing: string): string {
  return count === 1 ? `1 ${thing}` : `${grouped(count)} ${thing}s`;
}

/** Digits in groups of three, so that the size of a number is seen at a glance. */
export function grouped(figure: number | bigint): string {
  return String(figure).replaceAll(/\B(?=(?:\d{3}){1,7}$)/g, ',');
}
