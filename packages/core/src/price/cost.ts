/**
 * A reading and the prices in force → the call's cost, and the parts that have no price (`gaps.ts`). Rules 5 to 7. Pure and exact:
 * one sum of pico-dollars, rounded once, half to even, to nano-dollars. A call that cannot be priced costs null, never zero; no figure is
 * ever made up.
 */
import { divideHalfEven, nanoDollars, nanoDollarsMax, parseDollars, type NanoDollars } from '../money.ts';
import type { CostGap, CostSource, PriceBasis } from '../record/call-record.ts';
import type { FallbackPrice } from '../account/settings.ts';
import type { Provider } from '../wire/wire.ts';
import type { Reading } from '../usage/reading.ts';
import { cacheSavingsOf } from './cache-savings.ts';
import { chargedTokens, noChargedTokens, type ChargedTokens } from './charged-tokens.ts';
import { pricedModelOf } from './priced-model.ts';
import { pricesOf, type ModelPrice, type PriceBook } from './price-book.ts';
import {
  Gaps, factorOf, noFactors, noFees, noGaps, noteBeside, noteTokens, otherToolFees, toolFees, unitFees, unitParts, type UnitRates,
} from './gaps.ts';
import { picoPerNano, rateAt, ratesAt, wholeFactor, type Rates, type TokenRate } from './rates.ts';

/** One call to be priced. */
export interface PricedCall {
  readonly reading: Reading;
  /** The model that the request asked for; its price applies only if the answer names none. */
  readonly requestedModel?: string | null;
  /** The region of the address that was called; the answer's own goes before it. */
  readonly region?: string | null;
  /** Null on the declared upstream. */
  readonly provider: Provider | null;
  /** The declared upstream's host name, or its URL; null on the named providers. */
  readonly upstreamHost: string | null;
  /** The provider of the list that a named upstream was declared to be; null or absent: its host tells. */
  readonly listedAs?: string | null;
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
  const { reading } = call;
  if (reading.usage === 'none' || reading.usage === 'unknown') return nothingToPrice;
  if (call.provider === null && reading.reportedCost !== null) {
    const cost = parseDollars(reading.reportedCost);
    if (cost !== null) return { cost, costGaps: noGaps, costSource: 'upstream', pricedBy: null, priceList: null, cacheSavings: null };
  }
  const tokens = chargedTokens(reading.tokens, reading) ?? (reading.units === null ? null : noChargedTokens);
  if (tokens === null) return nothingToPrice;
  const model = pricedModel(call);
  if (model === null) return unpriced;
  const { overlay, list } = pricesOfModel(call, model);
  // Whoever declares that an upstream is a provider of the list means its prices.
  const listFirst = call.provider !== null || typeof call.listedAs === 'string';
  return priced(call, tokens, overlay)
    ?? (listFirst ? priced(call, tokens, list) : byFallback(call, tokens))
    ?? (listFirst ? byFallback(call, tokens) : priced(call, tokens, list))
    ?? unpriced;
}

/** The model whose prices a call is charged by; null: neither the answer nor the request names one. */
export function pricedModel(
  { reading, requestedModel = null, provider }: Pick<PricedCall, 'reading' | 'requestedModel' | 'provider'>,
): string | null {
  return pricedModelOf({ model: reading.model, requestedModel, toUpstream: provider === null });
}

/** The prices in force for the call, were it of this model. */
export function pricesOfModel({ book, provider, upstreamHost, listedAs, atMs }: PricedCall, model: string): ReturnType<typeof pricesOf> {
  return pricesOf(book, { provider, upstreamHost, listedAs: listedAs ?? null, atMs, model });
}

function priced(call: PricedCall, tokens: ChargedTokens, price: ModelPrice | null): Cost | null {
  if (price === null) return null;
  const rates = ratesAt(price.rates, placed(call));
  return pricedAt(call, tokens, rates === price.rates ? price : { ...price, rates });
}

function pricedAt(call: PricedCall, tokens: ChargedTokens, price: ModelPrice): Cost | null {
  const { reading } = call;
  const gaps = new Gaps();
  const units = unitFees(reading, price.rates, gaps);
  const isByUnits = units !== null && isSoldByUnits(price.rates);
  // Such a model's tokens are reported, but something else is charged.
  const pico = isByUnits ? price.rates.call : picoDollars(tokens, price.rates);
  if (pico === null) return null;
  // Counted in units that this price does not know, and in nothing else.
  if (pico === 0n && units === null && tokens === noChargedTokens) return null;
  if (searchesInBlocks(call, price)) gaps.add('web_search');
  const fees = toolFees(searched(call), feesOf(call, price), gaps) + otherToolFees(reading, price.rates.otherTool, gaps);
  if (!isByUnits) noteTokens(tokens, price, gaps, reading.cachedSplit);
  if (reading.cachedBeside && price.rates.cached !== null && price.rates.cached.base !== price.rates.input?.base) gaps.add('cached');
  if (!isByUnits) noteBeside(reading, gaps);
  const factor = factorOf(placed(call), price.rates, gaps);
  const cost = rounded({ pico, fees, units, factor, further: further(call, price.rates, gaps) }, price.rates.call);
  if (cost > nanoDollarsMax) gaps.add('amount');
  return {
    cost: nanoDollars(cost), costGaps: gaps.names(), costSource: 'priced', pricedBy: basisOf(call), priceList: price.priceList,
    cacheSavings: cacheSavingsOf(tokens, price.rates),
  };
}

/** What a call is made up of: pico-dollars, `further` in millionths of them, `units` in parts of them (`unitParts`). */
interface Charges {
  readonly pico: bigint;
  readonly fees: bigint;
  readonly units: bigint | null;
  readonly factor: bigint;
  readonly further: bigint;
}

/** Nothing is rounded before the sum is complete. `ofCall`: the part of `pico` that no factor changes. */
function rounded({ pico, fees, units, factor, further: others }: Charges, ofCall: bigint): bigint {
  if (factor === wholeFactor && others === 0n && units === null) return divideHalfEven(pico + fees, picoPerNano);
  const millionths = (pico - ofCall) * factor + (ofCall + fees) * wholeFactor + others;
  return units === null
    ? divideHalfEven(millionths, picoPerNano * wholeFactor)
    : divideHalfEven(millionths * unitParts + units * factor, picoPerNano * wholeFactor * unitParts);
}

/** Whether no token of the model has a price: it is sold by the hour, the page, the character or the image. */
function isSoldByUnits({ input, output }: Rates): boolean {
  return input === null && output === null;
}

/** The tier, and where the call was served: the answer's word goes before the address. That it is not available says nothing against that. */
function placed({ reading, region = null }: PricedCall): Pick<Reading, 'serviceTier' | 'region'> {
  return { serviceTier: reading.serviceTier, region: reading.region === 'not_available' ? region : reading.region ?? region };
}

/** Calls of tools, with the search that some models make on every call and no answer counts. */
function searched({ reading, requestedModel }: PricedCall): Reading['toolCalls'] {
  const model = reading.model ?? requestedModel ?? '';
  if (!searchesAlways.test(model) || (reading.toolCalls?.webSearch ?? 0) > 0) return reading.toolCalls;
  return { webFetch: 0, fileSearch: 0, codeInterpreter: 0, ...reading.toolCalls, webSearch: 1 };
}

/** The list has the fee of the search itself; that of its preview is the same for models that reason alone. */
function feesOf({ reading, requestedModel }: PricedCall, { rates, ofOverlay }: ModelPrice): Rates['tools'] {
  if (!reading.previewSearch || ofOverlay || !withoutReasoning.test(reading.model ?? requestedModel ?? '')) return rates.tools;
  return { ...rates.tools, webSearch: null };
}

/**
 * A search of these models is charged with a fixed block of input tokens beside its fee. Whether the answer's figures hold the block is not
 * documented, so nothing is added, and the cost names the gap.
 */
function searchesInBlocks({ reading, requestedModel }: PricedCall, { ofOverlay }: ModelPrice): boolean {
  return !ofOverlay && !reading.previewSearch && (reading.toolCalls?.webSearch ?? 0) > 0 && paidInBlocks.test(reading.model ?? requestedModel ?? '');
}

const paidInBlocks = /(?:^|\/)(?:gpt-4o-mini|gpt-4\.1-mini)(?:-\d|$)/;
const withoutReasoning = /(?:^|\/)(?:chatgpt|gpt-[34])/;
const searchesAlways = /-search-(?:preview|api)(?:-|$)/;

function basisOf(call: PricedCall): PriceBasis {
  return pricedModel(call) === call.reading.model ? 'model' : 'requested_model';
}

/** Usage of further models in the response, each at the price of its model: millionths of pico-dollars. */
function further(call: PricedCall, own: Rates, gaps: Gaps): bigint {
  let sum = 0n;
  for (const { model, tokens: figures } of call.reading.further) {
    const tokens = figures === null ? null : chargedTokens(figures, { cachedInInput: call.reading.cachedInInput, outputBeside: 0, units: null });
    const price = model === null ? null : furtherPrice(call, model);
    const rates = price === null ? (model === null ? own : null) : ratesAt(price.rates, placed(call));
    const pico = tokens === null || rates === null ? null : picoDollars(tokens, rates);
    if (tokens === null || pico === null || rates === null) {
      gaps.add('other_model');
      continue;
    }
    if (price !== null) noteTokens(tokens, price, gaps);
    sum += pico * factorOf(placed(call), rates, gaps);
  }
  return sum;
}

function furtherPrice(call: PricedCall, model: string): ModelPrice | null {
  const { overlay, list } = pricesOfModel(call, model);
  return overlay ?? list;
}

/**
 * The exact sum; null if the model's input has no price, or its output has none and there is output. Cache reads and
 * writes that have no price are charged as input, one-hour writes as other writes, reasoning as output.
 */
function picoDollars(tokens: ChargedTokens, rates: Rates): bigint | null {
  const parts = picoByKind(tokens, rates);
  if (parts === null) return null;
  const usual = rates.call + parts.input + parts.cached + parts.output;
  return hasOnlyUsual(tokens) ? usual : usual + parts.cacheWrite + parts.cacheWriteOneHour + parts.reasoning
    + parts.audioInput + parts.audioOutput + parts.imageInput + parts.imageOutput + parts.cachedAudio + parts.cachedImage;
}

/** Sums of whole amounts cost several times those of numbers, and most calls have three kinds of tokens at most. */
function hasOnlyUsual(tokens: ChargedTokens): boolean {
  return tokens.cacheWrite + tokens.cacheWriteOneHour + tokens.reasoning + tokens.audioInput + tokens.audioOutput
    + tokens.imageInput + tokens.imageOutput + tokens.cachedAudio + tokens.cachedImage === 0;
}

/** The same by kind, without the price of the call itself. */
export function picoByKind(tokens: ChargedTokens, rates: Rates): { readonly [Kind in keyof ChargedTokens]: bigint } | null {
  const { input, output } = rates;
  if (input === null) return tokens === noChargedTokens ? nothingByKind : null;
  if (output === null && tokens.output + tokens.reasoning + tokens.audioOutput + tokens.imageOutput > 0) return null;
  const cachedWhole = tokens.cached + tokens.cachedAudio + tokens.cachedImage;
  const whole = tokens.input + tokens.audioInput + tokens.imageInput + cachedWhole + tokens.cacheWrite + tokens.cacheWriteOneHour;
  const cached = rates.cached ?? input;
  const write = rates.cacheWrite ?? input;
  return {
    input: paid(tokens.input, input, whole),
    cached: paid(tokens.cached, cached, whole),
    cachedAudio: paid(tokens.cachedAudio, rates.cachedAudio ?? cached, whole),
    cachedImage: paid(tokens.cachedImage, rates.cachedImage ?? cached, whole),
    cacheWrite: paid(tokens.cacheWrite, write, whole),
    cacheWriteOneHour: paid(tokens.cacheWriteOneHour, rates.cacheWriteOneHour ?? write, whole),
    output: output === null ? 0n : paid(tokens.output, output, whole),
    reasoning: output === null ? 0n : paid(tokens.reasoning, rates.reasoning ?? output, whole),
    imageInput: paid(tokens.imageInput, rates.imageInput ?? input, whole),
    imageOutput: output === null ? 0n : paid(tokens.imageOutput, rates.imageOutput ?? output, whole),
    audioInput: paid(tokens.audioInput, rates.audioInput ?? input, whole),
    audioOutput: output === null ? 0n : paid(tokens.audioOutput, rates.audioOutput ?? output, whole),
  };
}

const nothingByKind = Object.freeze({
  input: 0n, cached: 0n, cacheWrite: 0n, cacheWriteOneHour: 0n, output: 0n, reasoning: 0n, audioInput: 0n, audioOutput: 0n,
  imageInput: 0n, imageOutput: 0n, cachedAudio: 0n, cachedImage: 0n,
});

function paid(tokens: number, rate: TokenRate, wholeInput: number): bigint {
  return tokens === 0 ? 0n : BigInt(tokens) * rateAt(rate, wholeInput);
}

const noUnits: UnitRates = Object.freeze({ hour: null, page: null, image: null, character: null });

/** The organization's own price: all input at one rate, all output at the other. It has no fees, tiers or regions. */
function byFallback(call: PricedCall, tokens: ChargedTokens): Cost | null {
  const { reading, fallback } = call;
  if (fallback === null || tokens === noChargedTokens) return null;
  const into = BigInt(tokens.input) + BigInt(tokens.audioInput) + BigInt(tokens.imageInput) + BigInt(tokens.cached)
    + BigInt(tokens.cachedAudio) + BigInt(tokens.cachedImage) + BigInt(tokens.cacheWrite) + BigInt(tokens.cacheWriteOneHour);
  const out = BigInt(tokens.output) + BigInt(tokens.reasoning) + BigInt(tokens.audioOutput) + BigInt(tokens.imageOutput);
  const nanoMillionths = into * fallback.inputNanoPerMillion + out * fallback.outputNanoPerMillion;
  const gaps = new Gaps();
  if (reading.further.length > 0) gaps.add('other_model');
  noteBeside(reading, gaps);
  toolFees(searched(call), noFees, gaps);
  unitFees(reading, noUnits, gaps);
  otherToolFees(reading, null, gaps);
  factorOf(placed(call), noFactors, gaps);
  const nano = divideHalfEven(nanoMillionths, 1_000_000n);
  if (nano > nanoDollarsMax) gaps.add('amount');
  return { cost: nanoDollars(nano), costGaps: gaps.names(), costSource: 'fallback', pricedBy: basisOf(call), priceList: null,
    cacheSavings: nanoDollars(0n) };
}
