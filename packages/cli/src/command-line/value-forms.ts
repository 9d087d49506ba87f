/**
 * Forms of option values: durations, instants, whole numbers, pairs of prices. What is not of the form is a `UsageFault` that
 * names the option and shows one that is right. Design 5.
 */
import { printable } from './check-arguments.ts';
import { UsageFault } from './command.ts';

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30s`, `15m`, `24h`, `7d` → milliseconds, above 0. */
export function durationMs(option: string, text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const ms = match === null ? 0 : Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
  if (ms > 0) return ms;
  throw new UsageFault(`--${option} must be a duration such as 30s, 15m, 24h or 7d, not ${printable(text)}.`);
}

/** An ISO 8601 instant with `Z` or an offset, or a date (its first instant in UTC) → milliseconds since the epoch. */
export function instantMs(option: string, text: string): number {
  const match = /^(\d{4}-\d\d-\d\d)(?:[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d))?$/.exec(text);
  const ms = match !== null && isCalendarDate(match[1]!) ? Date.parse(text.toUpperCase()) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new UsageFault(`--${option} must be an instant such as 2026-09-23T14:00:00Z, or a date, not ${printable(text)}.`);
}

function isCalendarDate(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

/** A whole number within bounds. */
export function wholeNumberOf(option: string, text: string, { min, max }: { readonly min: number; readonly max: number }): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new UsageFault(`--${option} must be a whole number from ${min} to ${max}, not ${printable(text)}.`);
}

const amountForm = 'an amount of US dollars such as 2.50, below 9.2 billion, with at most nine decimal places';

/** `2.50` → the amount of US dollars as written, from 0. */
export function dollars(option: string, text: string): string {
  if (/^\d{1,10}(?:\.\d{1,9})?$/.test(text)) return text;
  throw new UsageFault(`--${option} must be ${amountForm}, not ${printable(text)}.`);
}

/** Like `dollars`; `none` → null. */
export function dollarsOrNone(option: string, text: string): string | null {
  if (text === 'none') return null;
  if (/^\d{1,10}(?:\.\d{1,9})?$/.test(text)) return text;
  throw new UsageFault(`--${option} must be ${amountForm}, or none, not ${printable(text)}.`);
}

/** `2.50/10` → the two amounts, US dollars per million tokens, as written; `none` → null. */
export function pricePair(option: string, text: string): { readonly input: string; readonly output: string } | null {
  if (text === 'none') return null;
  const match = /^(\d{1,10}(?:\.\d{1,9})?)\/(\d{1,10}(?:\.\d{1,9})?)$/.exec(text);
  if (match !== null) return { input: match[1]!, output: match[2]! };
  throw new UsageFault(`--${option} must be two amounts of US dollars per million tokens, such as 2.50/10, or none.`);
}
