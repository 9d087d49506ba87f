/**
 * Reported tokens and a frozen price list → modeled cost. Spec: Figure labels; rules 6 and 27. The tap's figures are the
 * wire's own: Anthropic's cached tokens come on top of its input, everybody else's are part of it. No listed price: null, never 0.
 * Prices may step up with the size of one call's input; calls are therefore summed apart by band, the largest listed step they
 * passed, and a sum of one band is priced as exactly as its calls are.
 */
import { divideHalfEven, nanoDollars, type NanoDollars } from '../money.ts';
import { listedPriceAt } from '../price/seller.ts';
import type { PriceBook } from '../price/price-book.ts';
import type { PriceList } from '../price/price-list.ts';
import { picoPerNano, rateAt, type TokenRate } from '../price/rates.ts';
import { providers, wires } from '../wire/wire.ts';
import type { TapEvent, TapProvider } from './event.ts';

/** The seller of each provider; `other` is in no list. */
const sellerHost: { readonly [P in TapProvider]: string | null } = {
  openai: wires.openai.host,
  anthropic: wires.anthropic.host,
  google: 'generativelanguage.googleapis.com',
  xai: 'api.x.ai',
  mistral: 'api.mistral.ai',
  other: null,
};

/** Providers whose wire reports cached tokens on top of the input. */
const cachedOnTop = new Set<TapProvider>(providers.filter((provider) => !wires[provider].cachedInInput));

/** Tokens of one or more calls, as they are charged. */
interface ModeledTokens {
  readonly provider: TapProvider;
  readonly model: string;
  /** The day of the calls, 00:00 UTC, whose price applies. */
  readonly dayMs: number;
  /** The listed step that each call's whole input passed; 0: none. */
  readonly band: number;
  readonly calls: number;
  /** Input tokens that did not come from the cache. */
  readonly freshTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

/** Input that was not read from the cache, in one call. If the cached part is larger than the whole, 0. */
export function freshTokensOf({ provider, inputTokens, cachedTokens }: TapEvent): number {
  return cachedOnTop.has(provider) ? inputTokens : Math.max(inputTokens - cachedTokens, 0);
}

/** The steps of all prices that tap events may be priced by, ascending. */
export function priceSteps(list: PriceList): readonly number[] {
  const steps = new Set<number>();
  for (const { models } of list.providers) {
    for (const price of models.flatMap(({ prices }) => prices)) {
      for (const rate of [price.input, price.cached, price.output]) {
        if (typeof rate === 'object') for (const { tokens } of rate.above) steps.add(tokens);
      }
    }
  }
  return [...steps].toSorted((a, b) => a - b);
}

/** The largest step that the call's whole input passed, or 0. */
export function bandOf(event: TapEvent, steps: readonly number[]): number {
  const whole = freshTokensOf(event) + event.cachedTokens;
  return steps.findLast((step) => whole > step) ?? 0;
}

/** The cost of these calls, rounded once. Null: the list has no price for the model, or none for its output. */
export function modeledCost(book: PriceBook, tokens: ModeledTokens): NanoDollars | null {
  const host = sellerHost[tokens.provider];
  if (host === null) return null;
  const price = listedPriceAt(book.upstreamSeller(host).find(tokens.model).list, tokens.dayMs);
  if (price === null) return null;
  const { input, output, cached, call } = price.rates;
  if (input === null || (output === null && tokens.outputTokens > 0)) return null;
  const paid = (count: number, rate: TokenRate): bigint => count === 0 ? 0n : BigInt(count) * rateAt(rate, tokens.band + 1);
  const pico = BigInt(tokens.calls) * call
    + paid(tokens.freshTokens, input) + paid(tokens.cachedTokens, cached ?? input)
    + (output === null ? 0n : paid(tokens.outputTokens, output));
  return nanoDollars(divideHalfEven(pico, picoPerNano));
}

/** A call that begins a Baseline's days: it reported tokens, and the list knows their price. */
export function isPriced(book: PriceBook, event: TapEvent, dayMs: number): boolean {
  if (event.inputTokens + event.outputTokens + event.cachedTokens === 0) return false;
  const { provider, model, cachedTokens, outputTokens } = event;
  return modeledCost(book, { provider, model, dayMs, band: 0, calls: 1, freshTokens: freshTokensOf(event), cachedTokens, outputTokens }) !== null;
}
