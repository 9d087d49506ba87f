/**
 * A provider's bill in the form for comparison: one line per day and model, whatever the provider exports. Figures that an export lacks are
 * null.
 */
import { parseDollars, type NanoDollars } from '../money.ts';
import { dayName, dayOf } from '../time/utc-day.ts';

export interface BillLine {
  /** `2026-11-22`, UTC. */
  readonly day: string;
  /** Null: the export does not say. */
  readonly model: string | null;
  /** The provider's id of one request, where the export has a line for each. */
  readonly requestId: string | null;
  readonly calls: number | null;
  /** Input as the provider's own usage counts it: OpenAI's with cached tokens, Anthropic's without cache reads and writes. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cost: NanoDollars | null;
}

export interface Bill {
  readonly lines: readonly BillLine[];
  /** Decimal places of the finest amount in the file; null: it has no amounts. */
  readonly places: number | null;
}

/** Why a file is not a bill: one sentence. */
export class BillFault extends Error {}

/** The day that a bucket lies in. Buckets of a day or less, each within one day, are summed; a wider one cannot be split by day. */
export function dayOfBucket(startMs: number, endMs: number | null): string {
  if (!Number.isFinite(startMs) || Math.abs(startMs) > 8_640_000_000_000_000) {
    throw new BillFault('A line or bucket of the file does not say when it starts. The forms that are read are in docs/reconcile.md.');
  }
  if (endMs !== null && (endMs <= startMs || dayOf(endMs - 1) !== dayOf(startMs))) {
    throw new BillFault('The file has buckets that are longer than a day. Export it by day.');
  }
  return dayName(startMs);
}

/** A figure of tokens or calls; null if it is absent. */
export function figureOf(value: unknown): number | null {
  if (value === undefined || value === null || value === '') return null;
  const figure = typeof value === 'string' && /^\d{1,15}(?:\.0+)?$/.test(value) ? Number(value) : value;
  if (typeof figure !== 'number' || !Number.isSafeInteger(figure) || figure < 0) {
    throw new BillFault('A figure of the file is not a whole number from 0.');
  }
  return figure;
}

/** An amount of US dollars. `scale`: 2 if the export counts in cents. May be negative, since a bill may hold credits. */
export function amountOf(value: unknown, scale: 0 | 2): { readonly cost: NanoDollars; readonly places: number } {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).replaceAll(/^\$|,/g, '') : '';
  const below = text.startsWith('-');
  const amount = parseDollars(below ? text.slice(1) : text);
  if (amount === null) throw new BillFault('An amount of the file is not a decimal number.');
  const exact = scale === 0 ? amount : (amount + 50n) / 100n;
  const places = text.includes('e') ? 9 : (text.split('.')[1]?.length ?? 0) + scale;
  return { cost: (below ? -exact : exact) as NanoDollars, places };
}
