/**
 * The operator's prices for one seller → a look-up by model name. An exact name wins over a prefix, a longer prefix over a shorter one, and
 * at a tie the price for the host over the one for the provider. Of several with dates the latest that has begun counts, so all are given.
 */
import { comparable } from './model-name.ts';
import type { OverlayPrice } from './overlay.ts';

/** Prices of an overlay for this seller, ready for look-ups by a model's reported name: those that match it, the one that goes first ahead. */
export function pricesForModel(
  prices: readonly OverlayPrice[],
  seller: { readonly provider: string | null; readonly host: string | null },
): (model: string) => readonly OverlayPrice[] {
  const byHost = ofSeller(prices, (price) => price.seller.kind === 'host' && price.seller.host === seller.host);
  const byProvider = ofSeller(prices, (price) => price.seller.kind === 'provider' && price.seller.provider === seller.provider);
  return (model) => {
    const name = comparable(model);
    return [
      ...byHost.whole.get(name) ?? [], ...byProvider.whole.get(name) ?? [], ...beginningsOf(byHost, name), ...beginningsOf(byProvider, name),
    ];
  };
}

/** Whether a price is for all models whose names begin with its text. */
export function isBeginning({ model }: OverlayPrice): boolean {
  return model.endsWith('*');
}

interface SellerPrices {
  /** The latest date first, and one that always holds last. */
  readonly whole: ReadonlyMap<string, readonly OverlayPrice[]>;
  /** The longest first, then as above. */
  readonly beginnings: readonly OverlayPrice[];
}

function ofSeller(prices: readonly OverlayPrice[], isTheirs: (price: OverlayPrice) => boolean): SellerPrices {
  const theirs = prices.filter(isTheirs).toSorted((a, b) => (b.fromMs ?? -Infinity) - (a.fromMs ?? -Infinity) || 0);
  return {
    whole: Map.groupBy(theirs.filter((price) => !isBeginning(price)), ({ model }) => model),
    beginnings: theirs.filter(isBeginning).toSorted((a, b) => b.model.length - a.model.length),
  };
}

function beginningsOf({ beginnings }: SellerPrices, name: string): OverlayPrice[] {
  return beginnings.filter(({ model }) => name.startsWith(model.slice(0, -1)));
}
