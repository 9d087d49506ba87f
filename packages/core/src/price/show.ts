/**
 * A model's name → every price known for it, as plain JSON for `metergate prices show`. Rules: Interfaces. An unknown model has an empty list of
 * prices; that is not a fault.
 */
import type { ToolCalls } from '../usage/reading.ts';
import { providers } from '../wire/wire.ts';
import type { PriceBook } from './price-book.ts';
import { pricesForModel } from './overlay-match.ts';
import type { OverlaySeller } from './overlay.ts';
import { dollarsPerCall, dollarsPerMillion, holdsAt, type Rates, type TokenRate } from './rates.ts';
import { listedPriceAt, overlayModelPrice, overlayPriceAt, type ModelPrice, type Seller } from './seller.ts';
import { isoText } from '../time/iso-text.ts';

/** Prices as decimal text of US dollars per million tokens; null: not known; `cost.ts` says how it is then charged. */
interface ShownRates {
  readonly input: string | null;
  readonly cached: string | null;
  readonly cacheWrite: string | null;
  readonly cacheWriteOneHour: string | null;
  readonly output: string | null;
  readonly reasoning: string | null;
  readonly audioInput: string | null;
  readonly audioOutput: string | null;
  readonly cachedAudio: string | null;
  readonly cachedImage: string | null;
  readonly imageInput: string | null;
  readonly imageOutput: string | null;
}

/** One price. `inForce`: the price for a call admitted at the moment asked about. */
export interface ShownPrice extends ShownRates {
  /** The seller's identifier in the list; null for a price by host. */
  readonly provider: string | null;
  readonly host: string | null;
  readonly listedAs: string;
  readonly priceList: string;
  readonly inForce: boolean;
  /** First instant of a dated price, ISO 8601 UTC. */
  readonly from: string | null;
  /** Times of each UTC day, `HH:MM:SS`, the end excluded. */
  readonly daily: { readonly from: string; readonly to: string } | null;
  /** US dollars for the call itself; null: none. */
  readonly perCall: string | null;
  /** US dollars for an hour of sound, a page, an image, a million characters; null: not known. */
  readonly perHour: string | null;
  readonly perPage: string | null;
  readonly perImage: string | null;
  readonly perMillionCharacters: string | null;
  /** US dollars for a thousand calls of the provider's own tool; null: not known. */
  readonly perThousandCalls: { readonly [Tool in keyof ToolCalls | 'otherTool']: string | null };
  /** By the provider's word: a factor of the token prices, or the prices in their place. */
  readonly serviceTiers: Readonly<Record<string, string | ShownRates>>;
  readonly regions: Readonly<Record<string, string | ShownRates>>;
  /** Prices if the call's whole input is more than `tokens`, in rising order. */
  readonly above: readonly ({ readonly tokens: number } & ShownRates)[];
}

export interface ShownPrices {
  readonly model: string;
  readonly unit: 'USD per million tokens';
  readonly list: { readonly id: string; readonly source: string; readonly date: string; readonly hash: string };
  /** Identifier of the operator's overlay; null: none is loaded. */
  readonly overlay: string | null;
  readonly prices: readonly ShownPrice[];
}

const rateNames = [
  'input', 'cached', 'cacheWrite', 'cacheWriteOneHour', 'output', 'reasoning', 'audioInput', 'audioOutput', 'cachedAudio', 'cachedImage',
    'imageInput',
  'imageOutput',
] as const;

/** Every price for `model`: the overlay's by host, then by seller in the list's order, each seller's overlay price first. */
export function showPrices(book: PriceBook, model: string, atMs: number): ShownPrices {
  const { list, listId, overlayId } = book.context;
  return {
    model,
    unit: 'USD per million tokens',
    list: { id: listId, source: `${list.source.package} ${list.source.version}`, date: list.date, hash: list.hash },
    overlay: overlayId,
    prices: [...pricesByHost(book, model, atMs), ...book.listedSellers().flatMap((seller) => pricesOfSeller(seller, model, atMs))],
  };
}

/** A price in force, with its model: a whole name, or a prefix before `*`. */
export type PriceInForce = ShownPrice & { readonly model: string };

/** Every price of the overlay, those to come with them, then those in force for the named providers' models, in the order of the list. */
export function pricesInForce(book: PriceBook, atMs: number): PriceInForce[] {
  const { overlay, overlayId } = book.context;
  const own = (overlay?.prices ?? []).map((each) => {
    const { model, seller } = each;
    const price = overlayModelPrice(overlayId ?? 'overlay', each);
    return { model, ...shownPrice(price, {
      provider: seller.kind === 'provider' ? seller.provider : null, host: hostOf(seller), inForce: holdsAt(price.time, atMs),
    }) };
  });
  const listed = providers.flatMap((provider) => {
    const seller = book.namedSeller(provider);
    return (seller.provider?.models ?? []).flatMap(({ id }) => {
      const price = priceInForce(seller, id, atMs);
      return price === null || price.priceList === overlayId ? [] : [{ model: id, ...price }];
    });
  });
  return [...own, ...listed];
}

function pricesByHost(book: PriceBook, model: string, atMs: number): ShownPrice[] {
  const { overlay, overlayId } = book.context;
  const prices = overlay?.prices ?? [];
  const hosts = new Set(prices.map(({ seller }) => hostOf(seller)).filter((host) => host !== null));
  return [...hosts].flatMap((host) => {
    const paid = overlayPriceAt(book.upstreamSeller(host).find(model).overlay, atMs);
    return pricesForModel(prices, { provider: null, host })(model).map((price) => {
      const own = overlayModelPrice(overlayId ?? 'overlay', price);
      return shownPrice(own, { provider: null, host, inForce: paid?.listedAs === own.listedAs && paid.time.fromMs === own.time.fromMs });
    });
  });
}

function hostOf(seller: OverlaySeller): string | null {
  return seller.kind === 'host' ? seller.host : null;
}

/** What a call admitted now would pay; null: no price. */
export function priceInForce(seller: Seller, model: string, atMs: number): ShownPrice | null {
  return pricesOfSeller(seller, model, atMs).find(({ inForce }) => inForce) ?? null;
}

function pricesOfSeller(seller: Seller, model: string, atMs: number): ShownPrice[] {
  const { overlay, list } = seller.find(model);
  const paid = overlayPriceAt(overlay, atMs) ?? listedPriceAt(list, atMs);
  return [...overlay, ...list].filter(({ rates }) => hasAny(rates)).map((price) =>
    shownPrice(price, { provider: seller.provider?.id ?? null, host: null, inForce: price === paid }));
}

function hasAny(rates: Rates): boolean {
  return [rates.input, rates.output, rates.hour, rates.page, rates.image, rates.character].some((rate) => rate !== null) || rates.call !== 0n;
}

/** One price as `prices show` has it. */
export function shownPrice(price: ModelPrice, seller: Pick<ShownPrice, 'provider' | 'host' | 'inForce'>): ShownPrice {
  const { rates, time } = price;
  const steps = new Set(rateNames.flatMap((name) => rates[name]?.above.map(({ tokens }) => tokens) ?? []));
  return {
    ...seller,
    listedAs: price.listedAs,
    priceList: price.priceList,
    from: isoText(time.fromMs),
    daily: time.daily === null ? null : { from: timeOfDay(time.daily.fromSecond), to: timeOfDay(time.daily.toSecond) },
    perCall: rates.call === 0n ? null : dollarsPerCall(rates.call),
    perHour: rates.hour === null ? null : dollarsPerCall(rates.hour),
    perPage: rates.page === null ? null : dollarsPerCall(rates.page),
    perImage: rates.image === null ? null : dollarsPerCall(rates.image),
    perMillionCharacters: rates.character === null ? null : dollarsPerMillion(rates.character),
    perThousandCalls: {
      webSearch: feeText(rates.tools.webSearch), webFetch: feeText(rates.tools.webFetch),
      fileSearch: feeText(rates.tools.fileSearch), codeInterpreter: feeText(rates.tools.codeInterpreter),
      otherTool: feeText(rates.otherTool),
    },
    serviceTiers: placeTexts(rates.serviceTiers, rates.ofTiers),
    regions: placeTexts(rates.regions, rates.ofRegions),
    ...shownRates(rates, (rate) => rate.base),
    above: [...steps].toSorted((a, b) => a - b).map((tokens) => ({ tokens, ...shownRates(rates, (rate) => rateBeyond(rate, tokens)) })),
  };
}

function feeText(fee: bigint | null): string | null {
  return fee === null ? null : dollarsPerCall(fee * 1_000n);
}

function placeTexts(factors: ReadonlyMap<string, bigint>, own: ReadonlyMap<string, Rates>): Record<string, string | ShownRates> {
  return Object.fromEntries([
    ...[...factors].map(([word, factor]) => [word, dollarsPerMillion(factor)] as const),
    ...[...own].map(([word, rates]) => [word, shownRates(rates, (rate) => rate.base)] as const),
  ]);
}

function shownRates(rates: Rates, at: (rate: TokenRate) => bigint): ShownRates {
  const text = (rate: TokenRate | null): string | null => (rate === null ? null : dollarsPerMillion(at(rate)));
  return {
    input: text(rates.input), cached: text(rates.cached), cacheWrite: text(rates.cacheWrite),
    cacheWriteOneHour: text(rates.cacheWriteOneHour), output: text(rates.output), reasoning: text(rates.reasoning),
    audioInput: text(rates.audioInput), audioOutput: text(rates.audioOutput),
    cachedAudio: text(rates.cachedAudio), cachedImage: text(rates.cachedImage),
    imageInput: text(rates.imageInput), imageOutput: text(rates.imageOutput),
  };
}

function rateBeyond(rate: TokenRate, tokens: number): bigint {
  return rate.above.findLast((step) => step.tokens <= tokens)?.rate ?? rate.base;
}

function timeOfDay(second: number): string {
  return [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
