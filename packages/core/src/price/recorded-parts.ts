/**
 * A recorded call → its tokens and its cost by kind: input, cache reads and writes, output, reasoning. A record keeps one cost. It is split
 * only if the prices that it was recorded by give exactly that cost. If they do not (they are gone, a cost reported by the provider, a price
 * per call, a fee, a factor, other units), the cost stays whole. Nothing is estimated. Sound counts as input and output.
 */
import { nothingDue, type Reading } from '../usage/reading.ts';
import { cachedInInputOf } from '../usage/cached-in-input.ts';
import type { CallRecord } from '../record/call-record.ts';
import { divideHalfEven, nanoDollars, type NanoDollars } from '../money.ts';
import { chargedTokens, type ChargedTokens } from './charged-tokens.ts';
import { costOf, picoByKind } from './cost.ts';
import { pricesOf, type PriceBook, type PriceQuery } from './price-book.ts';
import { pricedModelOf } from './priced-model.ts';
import { picoPerNano, ratesAt } from './rates.ts';

/** What is charged for, as far as records distinguish it. */
export const paidKinds = ['input', 'cached', 'cacheWrite', 'output', 'reasoning'] as const;
export type PaidKind = (typeof paidKinds)[number];

export type PricingRecord = Pick<CallRecord,
  | 'wire' | 'endpoint' | 'path'
  | 'model' | 'requestedModel' | 'units' | 'usage' | 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'reasoningTokens'
  | 'audioInputTokens' | 'audioOutputTokens' | 'serviceTier' | 'toolCalls'
  | 'cost' | 'costGaps' | 'costSource' | 'priceList' | 'startedAtMs'>;

export interface RecordedParts {
  /** Each token is counted once. */
  readonly tokens: { readonly [Kind in PaidKind]: number };
  /** They add up to the recorded cost. Null: the cost cannot be split, or there is none. */
  readonly costs: { readonly [Kind in PaidKind]: NanoDollars } | null;
}

/** Where calls to a declared upstream would go now. It matters to no other call. */
export interface DeclaredSeller {
  /** Null: nowhere. */
  readonly upstreamUrl: string | null;
  /** The provider of the list that a named upstream is declared to be; null: its host tells. */
  readonly listedAs: string | null;
}

/** `book`: the prices that the record names; null: they are gone, or it names none. */
export interface RecordedPriceSource extends DeclaredSeller {
  readonly book: PriceBook | null;
}

/** Null: the record has no token figure. */
export function recordedParts(record: PricingRecord, by: RecordedPriceSource): RecordedParts | null {
  const tokens = recordedTokens(record);
  if (tokens === null) return null;
  return { tokens: asText(tokens), costs: costsOf(record, tokens, by) };
}

/** What was charged for, as far as the record says, each token once. Null: it has no token figure. */
export function recordedTokens(record: PricingRecord): ChargedTokens | null {
  const reading = recordedReading(record);
  return chargedTokens(reading.tokens, reading);
}

/**
 * What the answer reported, as far as its record says. It does not hold one-hour cache writes separately, nor other models'
 * iterations: if these were priced, the cost cannot be reproduced.
 */
export function recordedReading(record: PricingRecord): Reading {
  const { model, usage, serviceTier, toolCalls, units, reasoningTokens: reasoning } = record;
  // More reasoning than output cannot be a part of it.
  const outputBeside = reasoning !== null && reasoning > (record.outputTokens ?? 0) ? reasoning : 0;
  return {
    ...nothingDue, outputBeside, model, usage, cachedInInput: cachedInInputOf(record), serviceTier, toolCalls, units,
    tokens: {
      input: record.inputTokens, output: record.outputTokens, cached: record.cachedTokens, cacheWrite: record.cacheWriteTokens,
      cacheWriteOneHour: null, reasoning: record.reasoningTokens, audioInput: record.audioInputTokens, audioOutput: record.audioOutputTokens,
    },
  };
}

/** The model whose price a record's cost is by. */
export function recordedPricedModel({ model, requestedModel, wire }: Pick<PricingRecord, 'model' | 'requestedModel' | 'wire'>): string | null {
  return pricedModelOf({ model, requestedModel, toUpstream: wire === 'upstream' });
}

/** Who sold a recorded call, as prices are asked for; null: it went to an upstream that is no longer declared. */
function recordedSeller(
  { wire }: Pick<PricingRecord, 'wire'>, { upstreamUrl, listedAs }: DeclaredSeller,
): Pick<PriceQuery, 'provider' | 'upstreamHost' | 'listedAs'> | null {
  if (wire !== 'upstream') return { provider: wire, upstreamHost: null, listedAs: null };
  return upstreamUrl === null ? null : { provider: null, upstreamHost: upstreamUrl, listedAs };
}

function costsOf(record: PricingRecord, tokens: ChargedTokens, { book, ...declared }: RecordedPriceSource): RecordedParts['costs'] {
  const { requestedModel, cost, costSource, priceList, startedAtMs } = record;
  if (cost === null || costSource !== 'priced' || book === null) return null;
  const model = recordedPricedModel(record);
  const seller = recordedSeller(record, declared);
  if (model === null || seller === null) return null;
  const call = { ...seller, atMs: startedAtMs };
  const again = costOf({ ...call, reading: recordedReading(record), requestedModel, book, fallback: null });
  if (again.cost !== cost || again.priceList !== priceList) return null;
  const { overlay, list } = pricesOf(book, { ...call, model });
  const price = [overlay, list].find((each) => each?.priceList === priceList);
  if (price === null || price === undefined) return null;
  const rates = ratesAt(price.rates, { serviceTier: record.serviceTier, region: null });
  if (rates.call !== 0n) return null;
  const parts = picoByKind(tokens, rates);
  if (parts === null) return null;
  const pico = asText(parts);
  const whole = Object.values(pico).reduce((sum, part) => sum + part, 0n);
  return nanoDollars(divideHalfEven(whole, picoPerNano)) === cost ? rounded(pico, cost) : null;
}

type TextKind = Exclude<keyof ChargedTokens, 'audioInput' | 'audioOutput' | 'imageInput' | 'imageOutput' | 'cachedAudio' | 'cachedImage'>;

/** Adds sound and images to what they are a part of. */
function asText<Amount extends number | bigint>(
  { audioInput, audioOutput, imageInput, imageOutput, cachedAudio, cachedImage, ...parts }: { readonly [Kind in keyof ChargedTokens]: Amount },
): { readonly [Kind in TextKind]: Amount } {
  const sum = (...amounts: readonly Amount[]): Amount => amounts.reduce((one, other) => ((one as number) + (other as number)) as Amount);
  return {
    ...parts, input: sum(parts.input, audioInput, imageInput), cached: sum(parts.cached, cachedAudio, cachedImage),
    output: sum(parts.output, audioOutput, imageOutput),
  };
}

/** Whole nano-dollars of each; the rounding difference goes to the largest. */
function rounded(pico: { readonly [Kind in PaidKind]: bigint }, cost: NanoDollars): RecordedParts['costs'] {
  const costs = Object.fromEntries(paidKinds.map((kind) => [kind, pico[kind] / picoPerNano])) as { [Kind in PaidKind]: NanoDollars };
  const largest = paidKinds.reduce((most, kind) => (pico[kind] > pico[most] ? kind : most));
  costs[largest] = nanoDollars(cost - paidKinds.reduce((sum, kind) => (kind === largest ? sum : sum + costs[kind]), 0n));
  // Negative only if the cost itself stopped at the largest storable amount.
  return costs[largest] < 0n ? null : costs;
}
