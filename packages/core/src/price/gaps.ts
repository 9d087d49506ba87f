/**
 * Gaps: what a call reported but its price does not cover. Rule 6b. These are tool fees, factors of service tiers and regions, and
 * kinds of tokens without a rate. Each is named once and never guessed.
 */
import { divideHalfEven } from '../money.ts';
import { costGapNames, type CostGap } from '../record/call-record.ts';
import type { Reading, ToolCalls } from '../usage/reading.ts';
import type { ChargedTokens } from './charged-tokens.ts';
import type { ModelPrice } from './price-book.ts';
import { wholeFactor, type Rates } from './rates.ts';

export const noGaps: readonly CostGap[] = Object.freeze([]);

/** The gaps of one cost. Nothing is allocated for a cost that has none. */
export class Gaps {
  #found: Set<CostGap> | null = null;

  add(gap: CostGap): void {
    (this.#found ??= new Set()).add(gap);
  }

  /** Each once, in the order of `costGapNames`. */
  names(): readonly CostGap[] {
    const found = this.#found;
    return found === null ? noGaps : costGapNames.filter((name) => found.has(name));
  }
}

const toolGap = {
  webSearch: 'web_search', webFetch: 'web_fetch', fileSearch: 'file_search', codeInterpreter: 'code_interpreter',
} as const satisfies { readonly [Tool in keyof ToolCalls]: CostGap };
const tools = Object.keys(toolGap) as (keyof ToolCalls)[];

export const noFees: Rates['tools'] = Object.freeze({ webSearch: null, webFetch: null, fileSearch: null, codeInterpreter: null });

/** Pico-dollars for the calls of tools; those without a fee are gaps. */
export function toolFees(calls: ToolCalls | null, fees: Rates['tools'], gaps: Gaps): bigint {
  if (calls === null) return 0n;
  let sum = 0n;
  for (const tool of tools) {
    if (calls[tool] === 0) continue;
    const fee = fees[tool];
    if (fee === null) gaps.add(toolGap[tool]);
    else sum += BigInt(calls[tool]) * fee;
  }
  return sum;
}

/** Tiers at the listed price, by any provider's word. */
const ordinaryTiers: ReadonlySet<string> = new Set(['default', 'standard', 'auto', 'on_demand', 'traffic_type_unspecified']);
const ordinaryRegions: ReadonlySet<string> = new Set(['global', 'not_available']);

export const noFactors: Pick<Rates, 'serviceTiers' | 'regions'> = Object.freeze({ serviceTiers: new Map(), regions: new Map() });

/** The factor of the token prices, in millionths; a tier or region without a factor counts as 1, and is a gap. */
export function factorOf({ serviceTier, region }: Pick<Reading, 'serviceTier' | 'region'>, rates: Pick<Rates, 'serviceTiers' | 'regions'>,
  gaps: Gaps): bigint {
  if (serviceTier === null && region === null) return wholeFactor;
  const byTier = factorFor(serviceTier, ordinaryTiers, rates.serviceTiers);
  const byRegion = factorFor(region, ordinaryRegions, rates.regions);
  if (byTier === null) gaps.add('service_tier');
  if (byRegion === null) gaps.add('region');
  // Exact: a factor has at most three decimals.
  return ((byTier ?? wholeFactor) * (byRegion ?? wholeFactor)) / wholeFactor;
}

function factorFor(word: string | null, ordinary: ReadonlySet<string>, factors: ReadonlyMap<string, bigint>): bigint | null {
  if (word === null) return wholeFactor;
  if (factors.size === 0 && ordinary.has(word)) return wholeFactor;
  const plain = word.toLowerCase();
  return factors.get(plain) ?? (ordinary.has(plain) ? wholeFactor : null);
}

/**
 * Tokens that were charged at another kind's rate. By its own rules an overlay charges cache reads and writes without a price as input. Where all
 * input is free, so is what is cached.
 */
export function noteTokens(tokens: ChargedTokens, { rates, ofOverlay }: ModelPrice, gaps: Gaps, cachedSplit = true): void {
  // The provider does not report which kind of token was cached, and each kind has its price.
  if (!cachedSplit && tokens.cached > 0 && tokens.audioInput + tokens.imageInput > 0) gaps.add('cached');
  if ((tokens.audioInput > 0 && rates.audioInput === null) || (tokens.audioOutput > 0 && rates.audioOutput === null)) gaps.add('audio');
  if ((tokens.imageInput > 0 && rates.imageInput === null) || (tokens.imageOutput > 0 && rates.imageOutput === null)) gaps.add('image');
  if ((tokens.cachedAudio > 0 && rates.cachedAudio === null) || (tokens.cachedImage > 0 && rates.cachedImage === null)) gaps.add('cached');
  // The answer does not say how much of its output was images, which have another price.
  if (tokens.output > 0 && tokens.imageOutput === 0 && rates.imageOutput !== null && rates.imageOutput.base !== rates.output?.base) gaps.add('image');
  if (ofOverlay) return;
  if (tokens.cached > 0 && rates.cached === null && rates.input?.base !== 0n) gaps.add('cached');
  if (tokens.cacheWrite > 0 && rates.cacheWrite === null) gaps.add('cache_write');
  if (tokens.cacheWriteOneHour > 0 && rates.cacheWriteOneHour === null) gaps.add('cache_write');
}

/**
 * What was counted in other units, in pico-dollars times `unitParts`; what has no rate is a gap. Sound that is also counted in tokens is
 * charged by its tokens. Null: no unit of it has a rate.
 */
export function unitFees({ units, tokens }: Pick<Reading, 'units' | 'tokens'>, rates: UnitRates, gaps: Gaps): bigint | null {
  if (units === null) return null;
  let sum: bigint | null = null;
  const { seconds = 0, pages = 0, images = 0, characters = 0 } = units;
  const { hour, page, image, character } = rates;
  if (seconds > 0 && hour !== null) sum = partsOfHour(seconds) * hour;
  else if (seconds > 0 && !hasSoundInInput(tokens)) gaps.add('seconds');
  if (pages > 0 && page !== null) sum = (sum ?? 0n) + BigInt(pages) * page * unitParts;
  else if (pages > 0) gaps.add('pages');
  if (characters > 0 && character !== null) sum = (sum ?? 0n) + BigInt(characters) * character * unitParts;
  else if (characters > 0) gaps.add('characters');
  if (images > 0 && image !== null) sum = (sum ?? 0n) + BigInt(images) * image * unitParts;
  else if (images > 0) gaps.add('images');
  return sum;
}

/** Pico-dollars for the calls of a provider's tools that have no name here; without a fee they are a gap. */
export function otherToolFees({ units }: Pick<Reading, 'units'>, fee: bigint | null, gaps: Gaps): bigint {
  const calls = units?.otherToolCalls ?? 0;
  if (calls === 0) return 0n;
  if (fee !== null) return BigInt(calls) * fee;
  gaps.add('tool_calls');
  return 0n;
}

export type UnitRates = Pick<Rates, 'hour' | 'page' | 'image' | 'character'>;

/** Mistral counts the tokens of sound beside those of the input. */
function hasSoundInInput({ audioInput, input }: Reading['tokens']): boolean {
  return audioInput !== null && audioInput > 0 && audioInput <= (input ?? 0);
}

/** Decimal places of a second that are charged: all that a reported number has, but for numbers too small to cost anything. */
const secondPlaces = 24;
/** The parts of an hour in which seconds are counted; an hour is the unit of the rate for sound. */
export const unitParts = 3_600n * 10n ** BigInt(secondPlaces);

/** Exact: the decimal number that was reported, not the binary one nearest to it. `seconds`: above 0. */
function partsOfHour(seconds: number): bigint {
  const [mantissa, exponent = '0'] = String(seconds).split('e') as [string, string?];
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?];
  const shift = secondPlaces + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfEven(digits, 10n ** BigInt(-shift));
}

/** Tokens beside the output are charged as output. If the answer does not say that they are its reasoning, their kind is unknown. */
export function noteBeside({ tokens, outputBeside }: Reading, gaps: Gaps): void {
  if (outputBeside > 0 && outputBeside !== tokens.reasoning) gaps.add('other_model');
}
