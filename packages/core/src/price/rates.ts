/**
 * What a model costs per token, as exact whole pico-dollars, and which of several prices holds at an instant.
 * One pico-dollar per token is 10⁻⁶ US dollars per million tokens, so prices with up to six decimals are exact.
 */
import type { ToolCalls } from '../usage/reading.ts';
import { withoutEnding } from '../json/without-ending.ts';
import type { ListedPrice, ListedRate, ListedRates } from './price-list.ts';

/** Pico-dollars in one nano-dollar. */
export const picoPerNano = 1000n;

/** A rate that may rise, or fall, with the size of the call's whole input. */
export interface TokenRate {
  readonly base: bigint;
  /** In rising order of `tokens`: an input of more than that many tokens pays this rate for all of its tokens. */
  readonly above: readonly { readonly tokens: number; readonly rate: bigint }[];
}

/** Rates in pico-dollars per token; null if no price is known. */
export interface Rates {
  readonly input: TokenRate | null;
  readonly cached: TokenRate | null;
  readonly cacheWrite: TokenRate | null;
  readonly cacheWriteOneHour: TokenRate | null;
  readonly output: TokenRate | null;
  /** Null: reasoning is charged as output. */
  readonly reasoning: TokenRate | null;
  /** Null: audio is charged as text, and the cost has a gap. */
  readonly audioInput: TokenRate | null;
  readonly audioOutput: TokenRate | null;
  /** Null: cached sound and images are charged as cached text, and the cost has a gap. */
  readonly cachedAudio: TokenRate | null;
  readonly cachedImage: TokenRate | null;
  /** Null: images are charged as text, and the cost has a gap. */
  readonly imageInput: TokenRate | null;
  readonly imageOutput: TokenRate | null;
  /** Pico-dollars for an hour of sound or video, a page that was read, an image that was made, a character; null: not known. */
  readonly hour: bigint | null;
  readonly page: bigint | null;
  readonly image: bigint | null;
  readonly character: bigint | null;
  /** Pico-dollars for one call of a provider's own tool that is none of `tools`; null: not known. */
  readonly otherTool: bigint | null;
  /** Pico-dollars for the call itself. */
  readonly call: bigint;
  /** Pico-dollars for one call of a tool; null if no fee is known. */
  readonly tools: { readonly [Tool in keyof ToolCalls]: bigint | null };
  /** Factors of token prices, millionths, by the provider's word in lower case; the ordinary tier and region have none. */
  readonly serviceTiers: ReadonlyMap<string, bigint>;
  readonly regions: ReadonlyMap<string, bigint>;
  /** Tiers and regions with rates in place of a factor, by the same words. Those rates have the factor 1 for theirs. */
  readonly ofTiers: ReadonlyMap<string, Rates>;
  readonly ofRegions: ReadonlyMap<string, Rates>;
}

/** The rates for where and how a call was served, which are those of its tier, else of its region, if these have any. */
export function ratesAt(
  rates: Rates, { serviceTier, region }: { readonly serviceTier: string | null; readonly region: string | null },
): Rates {
  if (rates.ofTiers.size === 0 && rates.ofRegions.size === 0) return rates;
  const ofTier = serviceTier === null ? undefined : rates.ofTiers.get(serviceTier.toLowerCase());
  const ofRegion = region === null ? undefined : rates.ofRegions.get(region.toLowerCase());
  return ofTier ?? ofRegion ?? rates;
}

/** A factor of 1, in millionths. */
export const wholeFactor = 1_000_000n;
const noFactors: ReadonlyMap<string, bigint> = new Map();
export const noRatesOf: ReadonlyMap<string, Rates> = new Map();

/** When a price holds. Both null: always. */
export interface PriceTime {
  readonly fromMs: number | null;
  readonly daily: { readonly fromSecond: number; readonly toSecond: number } | null;
}

const daySeconds = 86_400;

/** Rates as written in the list → exact rates. */
export function ratesFromList(listed: ListedRates): Rates {
  return {
    input: rateFromList(listed.input),
    cached: rateFromList(listed.cached),
    cacheWrite: rateFromList(listed.cacheWrite),
    cacheWriteOneHour: rateFromList(listed.cacheWriteOneHour),
    output: rateFromList(listed.output),
    reasoning: rateFromList(listed.reasoning),
    audioInput: rateFromList(listed.audioInput),
    audioOutput: rateFromList(listed.audioOutput),
    cachedAudio: rateFromList(listed.cachedAudio),
    cachedImage: rateFromList(listed.cachedImage),
    imageInput: rateFromList(listed.imageInput),
    imageOutput: rateFromList(listed.imageOutput),
    hour: feeFromList(listed.hour),
    page: feeFromList(listed.page),
    image: feeFromList(listed.image),
    character: feeFromList(listed.character),
    otherTool: null,
    call: BigInt(listed.call ?? 0),
    tools: {
      webSearch: feeFromList(listed.webSearch), webFetch: feeFromList(listed.webFetch),
      fileSearch: feeFromList(listed.fileSearch), codeInterpreter: feeFromList(listed.codeInterpreter),
    },
    serviceTiers: noFactors,
    regions: noFactors,
    ofTiers: noRatesOf,
    ofRegions: noRatesOf,
  };
}

function feeFromList(listed: number | undefined): bigint | null {
  return listed === undefined ? null : BigInt(listed);
}

function rateFromList(listed: ListedRate | undefined): TokenRate | null {
  if (listed === undefined) return null;
  if (typeof listed === 'number') return { base: BigInt(listed), above: [] };
  return { base: BigInt(listed.base), above: listed.above.map(({ tokens, rate }) => ({ tokens, rate: BigInt(rate) })) };
}

/** When a listed price holds; its dates begin at 00:00 UTC. */
export function timeFromList(listed: ListedPrice): PriceTime {
  return { fromMs: listed.from === undefined ? null : Date.parse(`${listed.from}T00:00:00Z`), daily: listed.daily ?? null };
}

/** Whether a price holds at `atMs`, milliseconds since the epoch. A time of day whose end is before its beginning passes midnight. */
export function holdsAt(time: PriceTime, atMs: number): boolean {
  if (time.fromMs !== null) return atMs >= time.fromMs;
  if (time.daily === null) return true;
  const { fromSecond, toSecond } = time.daily;
  const second = (((atMs / 1000) % daySeconds) + daySeconds) % daySeconds;
  return fromSecond <= toSecond ? second >= fromSecond && second < toSecond : second >= fromSecond || second < toSecond;
}

/** The rate per token for a call whose whole input, cached and written tokens with it, is `inputTokens`. */
export function rateAt(rate: TokenRate, inputTokens: number): bigint {
  let chosen = rate.base;
  for (const step of rate.above) {
    if (inputTokens <= step.tokens) break;
    chosen = step.rate;
  }
  return chosen;
}

/** Decimal text of US dollars per million tokens, exact, without zeros at its end. */
export function dollarsPerMillion(picoPerToken: bigint): string {
  return decimalText(picoPerToken, 6);
}

/** Decimal text of US dollars for one call, exact, without zeros at its end. */
export function dollarsPerCall(pico: bigint): string {
  return decimalText(pico, 12);
}

function decimalText(amount: bigint, places: number): string {
  const digits = amount.toString().padStart(places + 1, '0');
  const fraction = withoutEnding(digits.slice(-places), '0');
  return fraction === '' ? digits.slice(0, -places) : `${digits.slice(0, -places)}.${fraction}`;
}
