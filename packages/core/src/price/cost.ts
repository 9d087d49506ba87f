/**
 * A reading and the prices in force → the call's cost, and the parts that have no price (`gaps.ts`). Rules 5 to 7. Pure and exact:
 * one sum of pico-dollars, rounded once, half to even, to nano-dollars. A call that cannot be priced costs null, never zero; no figure is
 * ever made up.
 */
import { divideHalfEven, nanoDollars, parseDollars, type NanoDollars } from '../money.ts';
import type { CostGap, CostSource, PriceBasis } from '../record/call-record.ts';
import type { FallbackPrice } from '../settings.ts';
import type { Provider } from '../wire/wire.ts';
import type { Reading } from '../usage/reading.ts';
import { cacheSavingsOf } from './cache-savings.ts';
import { chargedTokens, type ChargedTokens } from './charged-tokens.ts';
import { pricesOf, type ModelPrice, type PriceBook } from './price-book.ts';
import { Gaps, factorOf, noFactors, noFees, noGaps, noteBeside, noteTokens, toolFees } from './gaps.ts';
import { picoPerNano, rateAt, wholeFactor, type Rates, type TokenRate } from './rates.ts';

/** One call to be priced. */
export interface PricedCall {
  readonly reading: Reading;
  /** The model that the request asked for; its price applies only if the answer names none. */
  readonly requestedModel?: string | null;
  /** Null on the declared upstream. */
  readonly provider: Provider | null;
  /** The declared upstream's host name, or its URL; null on the named providers. */
  readonly upstreamHost: string | null;
  readonly book: PriceBook;
  readonly fallback: FallbackPrice | null;
  /** Admission of the call, milliseconds since the epoch: the price at that instant applies. */
  readonly atMs: number;
}

/**
 * `priceList` names the list or overlay that priced the call; null if another source priced it, or none. `cacheSavings`: what caching
 * saved; null if no price says.
 */
export interface Cost {
  readonly cost: NanoDollars | null;
  /** What was reported but is not in `cost`, or not at its own price; empty if there is no cost. */
  readonly costGaps: readonly CostGap[];
  readonly costSource: CostSource;
  /** Null: no price of a model made the cost. */
  readonly pricedBy: PriceBasis | null;
  readonly priceList: string | null;
  readonly cacheSavings: NanoDollars | null;
}

const nothingToPrice: Cost = Object.freeze({ cost: null, costGaps: noGaps, costSource: 'none', pricedBy: null, priceList: null, cacheSavings: null });
const unpriced: Cost = Object.freeze({ cost: null, costGaps: noGaps, costSource: 'unpriced', pricedBy: null, priceList: null, cacheSavings: null });

/**
 * The cost of one call. A declared upstream: the cost it reported, else the overlay, else the organization's fallback price,
 * else the list if it knows the host (rule 6). A named provider: overlay, list, then fallback, which is for models with
 * no price (rule 7). `partial` usage is priced as far as it was reported: the provider charges for the prompt it has read, and
 * a caller who always hangs up must not spend unseen. Without usage there is no cost. If the answer names no model, the one that was asked for
 * counts (rule 6d); without either the call is unpriced.
 */
export function costOf(call: PricedCall): Cost {
  const { reading, fallback } = call;
  if (reading.usage === 'none' || reading.usage === 'unknown') return nothingToPrice;
  if (call.provider === null && reading.reportedCost !== null) {
    const cost = parseDollars(reading.reportedCost);
    if (cost !== null) return { cost, costGaps: noGaps, costSource: 'upstream', pricedBy: null, priceList: null, cacheSavings: null };
  }
  const tokens = chargedTokens(reading.tokens, reading);
  if (tokens === null) return nothingToPrice;
  const model = reading.model ?? call.requestedModel ?? null;
  if (model === null) return unpriced;
  const { overlay, list } = pricesOfModel(call, model);
  return priced(call, tokens, overlay)
    ?? (call.provider === null ? byFallback(reading, tokens, fallback) : priced(call, tokens, list))
    ?? (call.provider === null ? priced(call, tokens, list) : byFallback(reading, tokens, fallback))
    ?? unpriced;
}

function pricesOfModel({ book, provider, upstreamHost, atMs }: PricedCall, model: string): ReturnType<typeof pricesOf> {
  return pricesOf(book, { provider, upstreamHost, atMs, model });
}

function priced(call: PricedCall, tokens: ChargedTokens, price: ModelPrice | null): Cost | null {
  if (price === null) return null;
  const pico = picoDollars(tokens, price.rates);
  if (pico === null) return null;
  const { reading } = call;
  const gaps = new Gaps();
  const fees = toolFees(reading.toolCalls, price.rates.tools, gaps);
  noteTokens(tokens, price, gaps);
  noteBeside(reading, gaps);
  const factor = factorOf(reading, price.rates, gaps);
  // Nothing is rounded before the sum is complete.
  const cost = factor === wholeFactor && reading.further.length === 0
    ? divideHalfEven(pico + fees, picoPerNano)
    : divideHalfEven((pico - price.rates.call) * factor + (price.rates.call + fees) * wholeFactor + further(call, price.rates, gaps),
      picoPerNano * wholeFactor);
  return {
    cost: nanoDollars(cost), costGaps: gaps.names(), costSource: 'priced', pricedBy: basisOf(reading), priceList: price.priceList,
    cacheSavings: cacheSavingsOf(tokens, price.rates),
  };
}

/** The model whose price applies: the request's only if the answer names none. */
function basisOf({ model }: Reading): PriceBasis {
  return model === null ? 'requested_model' : 'model';
}

/** Usage of further models in the response, each at the price of its model: millionths of pico-dollars. */
function further(call: PricedCall, own: Rates, gaps: Gaps): bigint {
  let sum = 0n;
  for (const { model, tokens: figures } of call.reading.further) {
    const tokens = figures === null ? null : chargedTokens(figures, { cachedInInput: call.reading.cachedInInput, outputBeside: 0 });
    const price = model === null ? null : furtherPrice(call, model);
    const rates = model === null ? own : price?.rates ?? null;
    const pico = tokens === null || rates === null ? null : picoDollars(tokens, rates);
    if (tokens === null || pico === null || rates === null) {
      gaps.add('other_model');
      continue;
    }
    if (price !== null) noteTokens(tokens, price, gaps);
    sum += pico * factorOf(call.reading, rates, gaps);
  }
  return sum;
}

function furtherPrice(call: PricedCall, model: string): ModelPrice | null {
  const { overlay, list } = pricesOfModel(call, model);
  return overlay ?? list;
}

/**
 * The exact sum; null if the model's input has no price, or its output has none and there is output. Cache reads and
 * writes without a price of their own are charged as input, one-hour writes as other writes, reasoning as output.
 */
function picoDollars(tokens: ChargedTokens, rates: Rates): bigint | null {
  const parts = picoByKind(tokens, rates);
  return parts === null ? null
    : rates.call + parts.input + parts.cached + parts.cacheWrite + parts.cacheWriteOneHour + parts.output + parts.reasoning
      + parts.audioInput + parts.audioOutput;
}

/** The same by kind, without the price of the call itself. */
export function picoByKind(tokens: ChargedTokens, rates: Rates): { readonly [Kind in keyof ChargedTokens]: bigint } | null {
  const { input, output } = rates;
  if (input === null) return null;
  if (output === null && tokens.output + tokens.reasoning + tokens.audioOutput > 0) return null;
  const whole = tokens.input + tokens.audioInput + tokens.cached + tokens.cacheWrite + tokens.cacheWriteOneHour;
  const write = rates.cacheWrite ?? input;
  return {
    input: paid(tokens.input, input, whole),
    cached: paid(tokens.cached, rates.cached ?? input, whole),
    cacheWrite: paid(tokens.cacheWrite, write, whole),
    cacheWriteOneHour: paid(tokens.cacheWriteOneHour, rates.cacheWriteOneHour ?? write, whole),
    output: output === null ? 0n : paid(tokens.output, output, whole),
    reasoning: output === null ? 0n : paid(tokens.reasoning, rates.reasoning ?? output, whole),
    audioInput: paid(tokens.audioInput, rates.audioInput ?? input, whole),
    audioOutput: output === null ? 0n : paid(tokens.audioOutput, rates.audioOutput ?? output, whole),
  };
}

function paid(tokens: number, rate: TokenRate, wholeInput: number): bigint {
  return tokens === 0 ? 0n : BigInt(tokens) * rateAt(rate, wholeInput);
}

/** The organization's own price: all input at one rate, all output at the other. It has no fees, tiers or regions. */
function byFallback(reading: Reading, tokens: ChargedTokens, fallback: FallbackPrice | null): Cost | null {
  if (fallback === null) return null;
  const into = BigInt(tokens.input) + BigInt(tokens.audioInput) + BigInt(tokens.cached)
    + BigInt(tokens.cacheWrite) + BigInt(tokens.cacheWriteOneHour);
  const out = BigInt(tokens.output) + BigInt(tokens.reasoning) + BigInt(tokens.audioOutput);
  const nanoMillionths = into * fallback.inputNanoPerMillion + out * fallback.outputNanoPerMillion;
  const gaps = new Gaps();
  if (reading.further.length > 0) gaps.add('other_model');
  noteBeside(reading, gaps);
  toolFees(reading.toolCalls, noFees, gaps);
  factorOf(reading, noFactors, gaps);
  const cost = nanoDollars(divideHalfEven(nanoMillionths, 1_000_000n));
  return { cost, costGaps: gaps.names(), costSource: 'fallback', pricedBy: basisOf(reading), priceList: null, cacheSavings: nanoDollars(0n) };
}
