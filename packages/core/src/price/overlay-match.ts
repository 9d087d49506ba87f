/**
 * The operator's prices for one seller → a look-up by model name. An exact name wins over a prefix, a longer prefix over a shorter one, and
 * at a tie the price for the host over the one for the provider.
 */
import { comparable } from './model-name.ts';
import type { OverlayPrice } from './overlay.ts';

/** Prices of an overlay for this seller, ready for look-ups by a model's reported name. */
export function pricesForModel(
  prices: readonly OverlayPrice[],
  seller: { readonly provider: string | null; readonly host: string | null },
): (model: string) => OverlayPrice | null {
  const byHost = ofSeller(prices, (price) => price.seller.kind === 'host' && price.seller.host === seller.host);
  const byProvider = ofSeller(prices, (price) => price.seller.kind === 'provider' && price.seller.provider === seller.provider);
  return (model) => {
    const name = comparable(model);
    return byHost.whole.get(name) ?? byProvider.whole.get(name) ?? beginningOf(byHost, name) ?? beginningOf(byProvider, name);
  };
}

/** Whether a price is for all models whose names begin with its text. */
export function isBeginning({ model }: OverlayPrice): boolean {
  return model.endsWith('*');
}

interface SellerPrices {
  readonly whole: ReadonlyMap<string, OverlayPrice>;
  /** Sorts the longest first. */
  readonly beginnings: readonly OverlayPrice[];
}

function ofSeller(prices: readonly OverlayPrice[], isTheirs: (price: OverlayPrice) => boolean): SellerPrices {
  const theirs = prices.filter(isTheirs);
  return {
    whole: new Map(theirs.filter((price) => !isBeginning(price)).map((price) => [price.model, price])),
    beginnings: theirs.filter(isBeginning).toSorted((a, b) => b.model.length - a.model.length),
  };
}

function beginningOf({ beginnings }: SellerPrices, name: string): OverlayPrice | null {
  return beginnings.find(({ model }) => name.startsWith(model.slice(0, -1))) ?? null;
}
