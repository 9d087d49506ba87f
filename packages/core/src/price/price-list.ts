/**
 * The frozen price list as the repository keeps it: its shape, and the list itself. Rule 6.
 * Written only by `scripts/generate-price-list.ts`; a test compares its hash with its content. Never change it by hand.
 */
import listJson from '../../price-list/price-list.json' with { type: 'json' };

/**
 * A rate in pico-dollars (10⁻¹² US dollars) per token, a whole number; US dollars per million tokens times 10⁶.
 * With steps: a call whose whole input is more than `tokens` pays that step's rate for every token of the kind.
 */
export type ListedRate = number | { readonly base: number; readonly above: readonly { readonly tokens: number; readonly rate: number }[] };

/** What one model costs at one time. A missing rate is a price that the list does not know. */
export interface ListedRates {
  readonly input?: ListedRate;
  readonly cached?: ListedRate;
  readonly cacheWrite?: ListedRate;
  readonly cacheWriteOneHour?: ListedRate;
  readonly output?: ListedRate;
  readonly reasoning?: ListedRate;
  readonly audioInput?: ListedRate;
  readonly audioOutput?: ListedRate;
  readonly cachedAudio?: ListedRate;
  readonly cachedImage?: ListedRate;
  readonly imageInput?: ListedRate;
  readonly imageOutput?: ListedRate;
  /** Pico-dollars for an hour of sound that came in, a page that was read, an image that was made, a character. */
  readonly hour?: number;
  readonly page?: number;
  readonly image?: number;
  readonly character?: number;
  /** Pico-dollars for the call itself, whatever its tokens. */
  readonly call?: number;
  /** Pico-dollars for one call of the provider's own tool. */
  readonly webSearch?: number;
  readonly webFetch?: number;
  readonly fileSearch?: number;
  readonly codeInterpreter?: number;
}

/** Rates and when they hold: always, from a UTC date on, or between two times of each UTC day (`to` excluded, may pass midnight). */
export interface ListedPrice extends ListedRates {
  readonly from?: string;
  readonly daily?: { readonly fromSecond: number; readonly toSecond: number };
}

/** How a model's name is recognized. Compared in lower case; every text here is lower case already. */
export type NameRule =
  | { readonly is: string }
  | { readonly starts: string }
  | { readonly ends: string }
  | { readonly contains: string }
  | { readonly regex: string }
  | { readonly any: readonly NameRule[] }
  | { readonly all: readonly NameRule[] };

/** A model; `prices` in rising precedence: the last one that holds at the instant is the price. */
export interface ListedModel {
  readonly id: string;
  readonly rule: NameRule;
  readonly prices: readonly ListedPrice[];
}

/** A seller of models. If the rules of two models match, the first in the list counts. */
export interface ListedProvider {
  readonly id: string;
  readonly name: string;
  /** Regular expression of its API's whole host name, lower case. */
  readonly host: string;
  /** Regular expression of the beginning of its API's path, if several sellers share a host. */
  readonly path?: string;
  /** Providers whose models it sells at their price, in order of precedence. */
  readonly borrows?: readonly string[];
  readonly models: readonly ListedModel[];
}

export interface PriceList {
  /** The npm package and its version that the prices were taken from. */
  readonly source: { readonly package: string; readonly version: string };
  /** Day of that release, `YYYY-MM-DD`; of the import of a list whose own day is not known. */
  readonly date: string;
  /** What `date` of an imported list is the day of. Absent in lists that older versions imported: there it is the day of the import. */
  readonly dated?: 'list' | 'import';
  /** SHA-256, lower-case hexadecimal, of `JSON.stringify` of this object without `hash`. */
  readonly hash: string;
  readonly providers: readonly ListedProvider[];
}

/** The list that this version of the product was made with. */
export const priceList = listJson as unknown as PriceList;

/** Date and the first 16 digits of the hash: `2026-09-23/1f0c22…`, as every record priced by the list carries it. */
export function priceListId(list: PriceList): string {
  return `${list.date}/${list.hash.slice(0, 16)}`;
}
