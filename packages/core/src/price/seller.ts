/**
 * Who sold a call → how its prices are found: a named provider, or the host of a declared upstream. Rule 6.
 * A catalogue is prepared when first used. Look-ups are cached within bounds, since model and host names come from outside.
 */
import { findModel, isNamed, knownModels, type KnownModel } from './model-name.ts';
import type { Overlay, OverlayPrice } from './overlay.ts';
import { isBeginning, pricesForModel } from './overlay-match.ts';
import type { ListedModel, ListedProvider, PriceList } from './price-list.ts';
import { holdsAt, ratesFromList, timeFromList, type PriceTime, type Rates } from './rates.ts';

/** Longest model name that is looked up, in UTF-16 units: no listed name comes near it. */
const modelNameMax = 256;
const rememberedMax = 1024;

/** A price and its source. */
export interface ModelPrice {
  /** Identifies the list: `2026-09-23/` or `overlay/`, and 16 digits of its hash. */
  readonly priceList: string;
  /** The name under which the list or the overlay holds it. */
  readonly listedAs: string;
  readonly time: PriceTime;
  readonly rates: Rates;
  /** Whether it is one of the operator's own prices, not the list's. */
  readonly ofOverlay: boolean;
}

/** Every price known for one model: the operator's own, the one that goes first ahead; the list's in rising precedence. */
interface FoundPrices {
  readonly overlay: readonly ModelPrice[];
  readonly list: readonly ModelPrice[];
}

/** One seller's prices, cached by reported model name. */
export interface Seller {
  readonly provider: ListedProvider | null;
  find(model: string): FoundPrices;
}

/** What a seller is made from. */
export interface PriceSources {
  readonly list: PriceList;
  readonly listId: string;
  readonly overlay: Overlay | null;
  readonly overlayId: string | null;
}

const nothingFound: FoundPrices = Object.freeze({ overlay: Object.freeze([]), list: Object.freeze([]) });

/** The catalogues of a list, each prepared once. */
export function catalogues(list: PriceList): (provider: ListedProvider) => readonly (readonly KnownModel[])[] {
  const ready = new Map<string, readonly KnownModel[]>();
  const own = (provider: ListedProvider): readonly KnownModel[] => {
    const known = ready.get(provider.id) ?? knownModels(provider.models);
    ready.set(provider.id, known);
    return known;
  };
  return (provider) => [
    own(provider),
    ...(provider.borrows ?? []).flatMap((id) => list.providers.filter((lender) => lender.id === id).map(own)),
  ];
}

/** A seller known to the list as `provider`, or only by its `host`. */
export function createSeller(
  context: PriceSources,
  catalogueOf: (provider: ListedProvider) => readonly (readonly KnownModel[])[],
  { provider, host }: { readonly provider: ListedProvider | null; readonly host: string | null },
): Seller {
  const models = provider === null ? [] : catalogueOf(provider);
  const own = pricesForModel(context.overlay?.prices ?? [], { provider: provider?.id ?? null, host });
  const remembered = new Map<string, FoundPrices>();
  const look = (model: string): FoundPrices => {
    const listed = findModel(models, model);
    return {
      overlay: own(model).filter((price) => isUnbeaten(price, listed, model))
        .map((price) => overlayModelPrice(context.overlayId ?? 'overlay', price)),
      list: listed === null ? [] : listed.prices.map((price) => ({
        priceList: context.listId, listedAs: listed.id, time: timeFromList(price), rates: ratesFromList(price), ofOverlay: false,
      })),
    };
  };
  return {
    provider,
    find(model) {
      const known = remembered.get(model);
      if (known !== undefined) return known;
      if (model.length > modelNameMax) return nothingFound;
      return remember(remembered, model, look(model));
    },
  };
}

/** A name in the list takes precedence over the operator's prefix: a price for a family must not silently reprice its listed members. */
function isUnbeaten(overlay: OverlayPrice, listed: ListedModel | null, model: string): boolean {
  return listed === null || !isBeginning(overlay) || !isNamed(listed, model);
}

/** One of the operator's prices as look-ups give it. */
export function overlayModelPrice(priceList: string, { model, fromMs, rates }: OverlayPrice): ModelPrice {
  return { priceList, listedAs: model, time: { fromMs, daily: null }, rates, ofOverlay: true };
}

/** The first of the operator's prices for a model that has begun at the instant; null: none has. */
export function overlayPriceAt(prices: readonly ModelPrice[], atMs: number): ModelPrice | null {
  for (let index = 0; index < prices.length; index++) {
    const price = prices[index]!;
    if (holdsAt(price.time, atMs)) return price;
  }
  return null;
}

/** The last of a model's listed prices that holds at the instant; the first if none does. Null: not listed. */
export function listedPriceAt(prices: readonly ModelPrice[], atMs: number): ModelPrice | null {
  for (let index = prices.length - 1; index > 0; index--) {
    const price = prices[index]!;
    if (holdsAt(price.time, atMs)) return price;
  }
  return prices[0] ?? null;
}

/** Caches a value under its key; the oldest one makes room. */
export function remember<Value>(remembered: Map<string, Value>, key: string, value: Value): Value {
  if (remembered.size >= rememberedMax) {
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest);
      break;
    }
  }
  remembered.set(key, value);
  return value;
}
