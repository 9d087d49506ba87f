/**
 * A reading and the prices in force → what the call cost. Design 3, rows 5 to 7. Pure and exact: one sum of pico-dollars,
 * rounded once, half to even, to nano-dollars. What cannot be priced is null, never zero; no figure is ever made up.
 */
import type { Wire } from '../call/route.ts';
import { divideHalfEven, nanoDollars, parseDollars, type NanoDollars } from '../money.ts';
import type { CostSource } from '../record/call-record.ts';
import type { FallbackPrice, Provider } from '../settings.ts';
import type { Reading, TokenFigures } from '../usage/reading.ts';
import { cacheSavingsOf } from './cache-savings.ts';
import { pricesOf, type ModelPrice, type PriceBook } from './price-book.ts';
import { picoPerNano, rateAt, type Rates, type TokenRate } from './rates.ts';

/** One call to be priced. */
export interface PricedCall {
  readonly reading: Reading;
  readonly wire: Wire;
  /** Null on the declared upstream. */
  readonly provider: Provider | null;
  /** The declared upstream's host name, or its URL; null on the named providers. */
  readonly upstreamHost: string | null;
  readonly book: PriceBook;
  readonly fallback: FallbackPrice | null;
  /** Admission of the call, milliseconds since the epoch: the price of that instant is paid. */
  readonly atMs: number;
}

/**
 * `priceList` names the list or overlay that priced the call; null where another source, or none, did. `cacheSavings`: what caching
 * saved; null where no price says so.
 */
export interface Cost {
  readonly cost: NanoDollars | null;
  readonly costSource: CostSource;
  readonly priceList: string | null;
  readonly cacheSavings: NanoDollars | null;
}

const nothingToPrice: Cost = Object.freeze({ cost: null, costSource: 'none', priceList: null, cacheSavings: null });
const unpriced: Cost = Object.freeze({ cost: null, costSource: 'unpriced', priceList: null, cacheSavings: null });

/**
 * The cost of one call. A declared upstream: the cost it reported, else the overlay, else the organization's fallback price,
 * else the list where it knows the host (row 6). A named provider: overlay, list, then fallback, which is for models with
 * no price (row 7). `partial` usage is priced as far as it was reported: the provider charges for the prompt it has read, and
 * a caller who always hangs up must not spend unseen. No usage, no figure: no cost. No model: unpriced.
 */
export function costOf(call: PricedCall): Cost {
  const { reading, fallback } = call;
  if (reading.usage === 'none' || reading.usage === 'unknown') return nothingToPrice;
  if (call.wire === 'upstream' && reading.reportedCost !== null) {
    const cost = parseDollars(reading.reportedCost);
    if (cost !== null) return { cost, costSource: 'upstream', priceList: null, cacheSavings: null };
  }
  const tokens = chargedTokens(reading.tokens, call.wire);
  if (tokens === null) return nothingToPrice;
  if (reading.model === null) return unpriced;
  const { provider, upstreamHost, atMs } = call;
  const { overlay, list } = pricesOf(call.book, { provider, upstreamHost, atMs, model: reading.model });
  return priced(tokens, overlay)
    ?? (call.wire === 'upstream' ? byFallback(tokens, fallback) : priced(tokens, list))
    ?? (call.wire === 'upstream' ? priced(tokens, list) : byFallback(tokens, fallback))
    ?? unpriced;
}

/** Tokens by what is paid for them: no token is in two of these. Whole numbers from 0. */
export interface ChargedTokens {
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly cacheWriteOneHour: number;
  readonly output: number;
  readonly reasoning: number;
}

/**
 * First wire: cached and written tokens are parts of the prompt. Second wire: they come on top of the input. Reasoning is part
 * of the output on both. A part larger than its whole leaves nothing of the rest, never less. Null: no figure at all.
 */
export function chargedTokens(figures: TokenFigures, wire: Wire): ChargedTokens | null {
  const { input, output, cached, cacheWrite, reasoning } = figures;
  if (input === null && output === null && cached === null && cacheWrite === null) return null;
  const written = cacheWrite ?? 0;
  const oneHour = Math.min(figures.cacheWriteOneHour ?? 0, written);
  const parts = wire === 'anthropic' ? 0 : (cached ?? 0) + written;
  const reasoned = Math.min(reasoning ?? 0, output ?? 0);
  return {
    input: Math.max((input ?? 0) - parts, 0),
    cached: cached ?? 0,
    cacheWrite: written - oneHour,
    cacheWriteOneHour: oneHour,
    output: (output ?? 0) - reasoned,
    reasoning: reasoned,
  };
}

function priced(tokens: ChargedTokens, price: ModelPrice | null): Cost | null {
  if (price === null) return null;
  const pico = picoDollars(tokens, price.rates);
  if (pico === null) return null;
  const cost = nanoDollars(divideHalfEven(pico, picoPerNano));
  return { cost, costSource: 'priced', priceList: price.priceList, cacheSavings: cacheSavingsOf(tokens, price.rates) };
}

/**
 * The exact sum; null where the model's input has no price, or its output has none and there is output. Cache reads and
 * writes without a price of their own are paid as input, one-hour writes as other writes, reasoning as output.
 */
function picoDollars(tokens: ChargedTokens, rates: Rates): bigint | null {
  const parts = picoByKind(tokens, rates);
  return parts === null ? null
    : rates.call + parts.input + parts.cached + parts.cacheWrite + parts.cacheWriteOneHour + parts.output + parts.reasoning;
}

/** The same by what is paid for, without the price of the call itself. */
export function picoByKind(tokens: ChargedTokens, rates: Rates): { readonly [Kind in keyof ChargedTokens]: bigint } | null {
  const { input, output } = rates;
  if (input === null) return null;
  if (output === null && tokens.output + tokens.reasoning > 0) return null;
  const whole = tokens.input + tokens.cached + tokens.cacheWrite + tokens.cacheWriteOneHour;
  const write = rates.cacheWrite ?? input;
  return {
    input: paid(tokens.input, input, whole),
    cached: paid(tokens.cached, rates.cached ?? input, whole),
    cacheWrite: paid(tokens.cacheWrite, write, whole),
    cacheWriteOneHour: paid(tokens.cacheWriteOneHour, rates.cacheWriteOneHour ?? write, whole),
    output: output === null ? 0n : paid(tokens.output, output, whole),
    reasoning: output === null ? 0n : paid(tokens.reasoning, rates.reasoning ?? output, whole),
  };
}

function paid(tokens: number, rate: TokenRate, wholeInput: number): bigint {
  return tokens === 0 ? 0n : BigInt(tokens) * rateAt(rate, wholeInput);
}

/** The organization's own price: all that went in at one rate, cached or not, all that came out at the other. */
function byFallback(tokens: ChargedTokens, fallback: FallbackPrice | null): Cost | null {
  if (fallback === null) return null;
  const into = BigInt(tokens.input) + BigInt(tokens.cached) + BigInt(tokens.cacheWrite) + BigInt(tokens.cacheWriteOneHour);
  const out = BigInt(tokens.output) + BigInt(tokens.reasoning);
  const nanoMillionths = into * fallback.inputNanoPerMillion + out * fallback.outputNanoPerMillion;
  const cost = nanoDollars(divideHalfEven(nanoMillionths, 1_000_000n));
  return { cost, costSource: 'fallback', priceList: null, cacheSavings: nanoDollars(0n) };
}
