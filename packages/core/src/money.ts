/**
 * Money: whole nano-dollars (10⁻⁹ US dollars) in a `bigint`, within a signed 64-bit integer.
 * Text to money and back happens here and nowhere else. Decision: rule 5.
 */

declare const nano: unique symbol;
/** An amount of US dollars in nano-dollars; −2⁶³ to 2⁶³ − 1. */
export type NanoDollars = bigint & { readonly [nano]: true };

const nanoPerDollar = 1_000_000_000n;
/** The largest amount a 64-bit column holds: a little over 9.2 billion dollars. Sums saturate here. */
export const nanoDollarsMax = 9_223_372_036_854_775_807n as NanoDollars;

/** Marks a bigint as money, saturating at the 64-bit bound so that it never wraps into a credit. */
export function nanoDollars(amount: bigint): NanoDollars {
  return (amount > nanoDollarsMax ? nanoDollarsMax : amount) as NanoDollars;
}

/** Decimal text of US dollars with `places` digits after the point (9 by default, exact). Fewer places cut, never round up. */
export function formatDollars(amount: NanoDollars, places: number = 9): string {
  const sign = amount < 0n ? '-' : '';
  const magnitude = amount < 0n ? -amount : (amount as bigint);
  const whole = magnitude / nanoPerDollar;
  const fraction = (magnitude % nanoPerDollar).toString().padStart(9, '0').slice(0, places);
  return places === 0 ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

/** What `formatDollars` wrote with all nine places, back again. Whoever may have written something else is to use `parseDollars`. */
export function unformatDollars(text: string): NanoDollars {
  return BigInt(text.replace('.', '')) as NanoDollars;
}

/**
 * A plain or exponent-notation decimal from 0 upward, as JSON writes numbers, rounded half to even to nano-dollars.
 * Returns null for anything else, and for figures above the 64-bit bound. `1e400` is refused, not infinite.
 */
export function parseDollars(text: string): NanoDollars | null {
  const match = /^(\d{1,64})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (match === null) return null;
  const fraction = match[2] ?? '';
  const digits = BigInt(match[1]! + fraction);
  if (digits === 0n) return nanoDollars(0n);
  const shift = Number(match[3] ?? '0') - fraction.length + 9;
  if (shift > 40) return null;
  if (shift < -600) return nanoDollars(0n);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfEven(digits, 10n ** BigInt(-shift));
  return amount > nanoDollarsMax ? null : (amount as NanoDollars);
}

/** Exact quotient of non-negative integers, rounded once, half to even. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}
