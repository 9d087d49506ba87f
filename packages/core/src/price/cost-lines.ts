/**
 * A recorded call → the lines of its cost: quantity, price, amount. A record keeps only the cost and the name of the price list. So the lines
 * are computed again from that list, and shown only if they add up to the recorded cost, to the nano-dollar. Otherwise the result says why
 * they do not; nothing is made up. Rules 5 to 7.
 * Amounts are whole atto-dollars (10⁻¹⁸ US dollars), in which every product is exact; the one rounding is that of the sum.
 */
import { divideHalfEven } from '../money.ts';
import type { CallRecord } from '../record/call-record.ts';
import type { FallbackPrice } from '../account/settings.ts';
import type { ToolCalls } from '../usage/reading.ts';
import { withoutEnding } from '../json/without-ending.ts';
import type { ChargedTokens } from './charged-tokens.ts';
import { picoByKind } from './cost.ts';
import { factorOf, Gaps } from './gaps.ts';
import { pricesOf, type PriceBook } from './price-book.ts';
import { ratesAt, wholeFactor, type Rates } from './rates.ts';
import { recordedPricedModel, recordedReading, recordedTokens } from './recorded-parts.ts';

const tokenKinds = [
  'input', 'cached', 'cacheWrite', 'output', 'reasoning', 'audioInput', 'audioOutput', 'imageInput', 'imageOutput', 'cachedAudio', 'cachedImage',
] as const satisfies (keyof ChargedTokens)[];
const toolKinds = ['webSearch', 'webFetch', 'fileSearch', 'codeInterpreter'] as const satisfies (keyof ToolCalls)[];

/** What a line charges: a kind of token, a call of a provider's own tool, or the call itself. */
export const costLineKinds = [...tokenKinds, ...toolKinds, 'call'] as const;
export type CostLineKind = (typeof costLineKinds)[number];

export interface CostLine {
  readonly of: CostLineKind;
  /** Tokens, or calls; no token is counted twice. */
  readonly count: number;
  /** Atto-dollars for one, before any factor; null: no price is known, and the line is a gap. */
  readonly each: bigint | null;
  /** Another kind, whose price applies because this one has none. */
  readonly paidAs: CostLineKind | null;
  /** Atto-dollars, with the factor; null if `each` is. */
  readonly amount: bigint | null;
}

export interface CostLines {
  readonly lines: readonly CostLine[];
  /** The factor of token prices for the service tier, in millionths; 1,000,000: no change. */
  readonly factor: bigint;
}

/**
 * Why there are no lines. `no_cost`: the call has none. `reported`: the upstream reported its cost itself. `other_prices`: what is known now
 * does not give the recorded cost: its price list is gone, the organization's price changed since, or something counted that records do
 * not hold (a region, cache writes for an hour, figures of further models).
 */
export const withoutLinesReasons = ['no_cost', 'reported', 'other_prices'] as const;
export type WithoutLines = (typeof withoutLinesReasons)[number];

/** What determined the prices when the call was recorded, as far as it is known now. */
export interface PricesAtHand {
  /** The prices that the record names, as long as they are kept. */
  readonly book: PriceBook;
  readonly fallback: FallbackPrice | null;
  /** The declared upstream's URL; null: there is none. */
  readonly upstreamUrl: string | null;
  /** The provider of the list that a named upstream is declared to be; null or absent: its host tells. */
  readonly listedAs?: string | null;
}

/** How a recorded cost came about, line by line, if the prices at hand give it; otherwise why there are no lines. Pure. */
export function costLines(record: CallRecord, { book, fallback, upstreamUrl, listedAs = null }: PricesAtHand): CostLines | WithoutLines {
  const { cost, costSource, startedAtMs, wire, priceList } = record;
  const model = recordedPricedModel(record);
  if (cost === null) return 'no_cost';
  if (costSource === 'upstream') return 'reported';
  const tokens = recordedTokens(record);
  if (tokens === null || model === null) return 'other_prices';
  if (costSource === 'fallback') return fallback === null ? 'other_prices' : coming(cost, fallbackLines(tokens, fallback));
  const seller = wire === 'upstream' ? { provider: null, upstreamHost: upstreamUrl, listedAs } : { provider: wire, upstreamHost: null };
  const { overlay, list } = pricesOf(book, { ...seller, model, atMs: startedAtMs });
  const rates = [overlay, list].find((price) => price?.priceList === priceList)?.rates;
  return rates === undefined ? 'other_prices' : coming(cost, listedLines(record, tokens, ratesAt(rates, recordedReading(record))));
}

/** The lines, if they add up to the cost. */
function coming(cost: bigint, lines: CostLines | null): CostLines | WithoutLines {
  if (lines === null) return 'other_prices';
  const sum = lines.lines.reduce((all, { amount }) => all + (amount ?? 0n), 0n);
  return divideHalfEven(sum, attoPerNano) === cost ? lines : 'other_prices';
}

const attoPerNano = 1_000_000_000n;
const attoPerPico = 1_000_000n;

/** The kind whose price applies to a kind without its own: `picoByKind` has the rule. */
const otherwise: { readonly [Kind in (typeof tokenKinds)[number]]: 'input' | 'output' | 'cached' } = {
  input: 'input', cached: 'input', cacheWrite: 'input', audioInput: 'input', output: 'output', reasoning: 'output', audioOutput: 'output',
  imageInput: 'input', imageOutput: 'output', cachedAudio: 'cached', cachedImage: 'cached',
};

function listedLines(record: CallRecord, tokens: ChargedTokens, rates: Rates): CostLines | null {
  const parts = picoByKind(tokens, rates);
  if (parts === null) return null;
  const { toolCalls } = record;
  const factor = factorOf(recordedReading(record), rates, new Gaps());
  const lines: CostLine[] = [];
  for (const of of tokenKinds) {
    const count = tokens[of];
    if (count === 0) continue;
    lines.push({
      of, count, each: (parts[of] / BigInt(count)) * attoPerPico, paidAs: rates[of] === null ? otherwise[of] : null, amount: parts[of] * factor,
    });
  }
  for (const of of toolKinds) {
    const count = toolCalls?.[of] ?? 0;
    const fee = rates.tools[of];
    if (count > 0) lines.push(fee === null ? { of, count, each: null, paidAs: null, amount: null } : plainLine(of, count, fee * attoPerPico));
  }
  if (rates.call !== 0n) lines.push(plainLine('call', 1, rates.call * attoPerPico));
  return { lines, factor };
}

function plainLine(of: CostLineKind, count: number, each: bigint): CostLine {
  return { of, count, each, paidAs: null, amount: BigInt(count) * each };
}

/** All input at one price, all output at the other. */
function fallbackLines(tokens: ChargedTokens, { inputNanoPerMillion, outputNanoPerMillion }: FallbackPrice): CostLines {
  const into = tokens.input + tokens.audioInput + tokens.imageInput + tokens.cached + tokens.cachedAudio + tokens.cachedImage
    + tokens.cacheWrite + tokens.cacheWriteOneHour;
  const out = tokens.output + tokens.reasoning + tokens.audioOutput + tokens.imageOutput;
  // A nano-dollar per million tokens is a thousand atto-dollars per token.
  const lines = [plainLine('input', into, inputNanoPerMillion * 1_000n), plainLine('output', out, outputNanoPerMillion * 1_000n)];
  return { lines: lines.filter(({ count }) => count > 0), factor: wholeFactor };
}

/** Decimal text of US dollars, exact, without zeros at its end. `atto`: from 0. */
export function attoDollarsText(atto: bigint): string {
  const digits = atto.toString().padStart(19, '0');
  const fraction = withoutEnding(digits.slice(-18), '0');
  return fraction === '' ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${fraction}`;
}
