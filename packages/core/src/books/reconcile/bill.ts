/**
 * A provider's bill in the form for comparison: one line per day and model or item, whatever the provider exports. Figures that an export lacks
 * are absent, and are not compared.
 */
import { parseDollars, type NanoDollars } from '../../money.ts';
import type { BillDay } from './bill-days.ts';
import { BillFault } from './bill-fault.ts';
import type { BillItem } from './bill-items.ts';

/**
 * What is counted on both sides, in the order in which they decide a verdict. Input as the provider's own usage counts it: OpenAI's and those of
 * upstreams with cached and written tokens, Anthropic's without. `calls` of an item are its uses.
 */
export const countKinds = [
  'outputTokens', 'inputTokens', 'calls', 'cachedTokens', 'cacheWriteTokens', 'reasoningTokens', 'audioInputTokens', 'audioOutputTokens',
  'imageInputTokens', 'imageOutputTokens', 'seconds', 'characters', 'pages', 'images', 'webSearches', 'webFetches',
] as const;
export type CountKind = (typeof countKinds)[number];
export type Counts = { readonly [Kind in CountKind]?: number };

export { BillFault } from './bill-fault.ts';

export interface BillLine {
  /** `2026-11-22`, in the bill's own zone. */
  readonly day: string;
  /** The model or item as the bill names it. Null: the bill does not say. */
  readonly name: string | null;
  /** What is charged for, if it is no model. */
  readonly item: BillItem | null;
  /** The provider's id of one request, where the export has a line for each. */
  readonly requestId: string | null;
  readonly counts: Counts;
  readonly cost: NanoDollars | null;
}

/** Which operations a usage export counts; calls of others are not compared with it. */
const billedOperations = ['text', 'embeddings', 'moderations', 'images', 'speech', 'transcription'] as const;
export type BilledOperation = (typeof billedOperations)[number];

export interface Bill {
  /** Without lines whose figures are all 0. */
  readonly lines: readonly BillLine[];
  /** The days that the file covers, also those without lines; in order. */
  readonly days: readonly BillDay[];
  /** Days at the ends of the file of which it may have a part only: its first row begins later, or its last ends before. */
  readonly cutDays: ReadonlySet<string>;
  /** Decimal places of the finest amount in the file; null: it has no amounts. */
  readonly places: number | null;
  /** Each row of the file was rounded to `places` by itself. */
  readonly roundedRows: boolean;
  /** Null: all. */
  readonly operations: ReadonlySet<BilledOperation> | null;
  /** Its amounts of models are without the provider's tools, which have separate lines. */
  readonly itemsApart: boolean;
  /** The currency of amounts that were left out; null: none were. */
  readonly otherCurrency: string | null;
}

/**
 * A count; null if it is absent. Below 0 where a line takes back what another one charged. Exports of data warehouses write whole numbers as `12.0`
 * or `1.2E3`.
 */
export function billCount(value: unknown): number | null {
  if (value === undefined || value === null || value === '') return null;
  const count = numberOf(value);
  if (count === null) throw new BillFault(`A figure of the file is not a number.${ofComma(value)}`);
  return count;
}

/** A whole count; null if it is absent. */
export function billFigure(value: unknown): number | null {
  if (value === undefined || value === null || value === '') return null;
  const figure = numberOf(value);
  if (figure === null || figure < 0 || !Number.isSafeInteger(figure)) {
    throw new BillFault(`A figure of the file is not a whole number from 0.${ofComma(value)}`);
  }
  return figure;
}

function numberOf(value: unknown): number | null {
  const text = typeof value === 'string' ? plainNumber(value) : '';
  const count = /^-?\d{1,16}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,2})?$/.test(text) ? Number(text) : value;
  return typeof count === 'number' && Math.abs(count) <= Number.MAX_SAFE_INTEGER ? count : null;
}

const thousands = /^-?[1-9]\d{0,2}(?:(?:,\d{3})+|(?:[ \u00a0\u202f'’]\d{3})+)(?:\.\d+)?$/;

/**
 * A number as programs write it for people → as JSON writes it: `-$1,234.50`, `($1,234.50)` and `−1 234.50` are `-1234.50`. Anything else stays,
 * so a comma that does not separate thousands makes no number.
 */
function plainNumber(text: string): string {
  const trimmed = text.trim();
  const inParentheses = /^\((.+)\)$/.exec(trimmed)?.[1];
  const signed = inParentheses === undefined ? trimmed.replace(/^\u2212/, '-') : `-${inParentheses}`;
  const bare = signed.replace(/^(-?)(?:USD ?|(?:US)?\$ ?)(-?)/, '$1$2');
  return thousands.test(bare) ? bare.replaceAll(/[, \u00a0\u202f'’]/g, '') : bare;
}

/** What to do about a comma, if it is that. */
function ofComma(value: unknown): string {
  return typeof value === 'string' && value.includes(',')
    ? ' Its comma does not separate thousands: if commas are the decimal sign, separate the columns by semicolons.' : '';
}

/** Those that are known. */
export function countsOf(found: { readonly [Kind in CountKind]?: number | null }): Counts {
  const counts: { [Kind in CountKind]?: number } = {};
  for (const kind of countKinds) {
    const count = found[kind];
    if (count !== undefined && count !== null) counts[kind] = count;
  }
  return counts;
}

/** The sum of both; a count that only one side has stays. */
export function billCountsTogether(one: Counts, other: Counts): Counts {
  const counts: { [Kind in CountKind]?: number } = { ...one };
  for (const kind of countKinds) {
    const count = other[kind];
    if (count !== undefined) counts[kind] = (counts[kind] ?? 0) + count;
  }
  return counts;
}

/**
 * How many places an amount has at least. A number of JSON drops its zeros at the end, so how it is written says nothing of its precision; texts
 * may lack a fraction where it is zero, but no bill is rounded to whole dollars.
 */
const numberPlaces = 6;
const textPlaces = 2;

/** An amount and to how many decimal places it is known. */
export interface Amount {
  readonly cost: NanoDollars;
  readonly places: number;
}

/** An amount of US dollars. `scale`: 2 if the export counts in cents. May be negative, since a bill may hold credits. */
export function amountOf(value: unknown, scale: 0 | 2): Amount {
  const text = typeof value === 'string' || typeof value === 'number' ? plainNumber(String(value)) : '';
  const below = text.startsWith('-');
  const amount = parseDollars(below ? text.slice(1) : text);
  if (amount === null) throw new BillFault(`An amount of the file is not a decimal number.${ofComma(value)}`);
  const exact = scale === 0 ? amount : (amount + 50n) / 100n;
  const written = /e/i.test(text) ? 9 : (text.split('.')[1]?.length ?? 0) + scale;
  const places = Math.max(written, typeof value === 'number' ? numberPlaces : textPlaces);
  return { cost: (below ? -exact : exact) as NanoDollars, places };
}

/** Refuses amounts in other currencies than US dollars. */
export function checkDollars(currency: unknown): void {
  if (typeof currency !== 'string' || currency.toLowerCase() !== 'usd') {
    throw new BillFault('The file has amounts in another currency than US dollars.');
  }
}
