/**
 * The operator's prices for one seller → a look-up by model name. A price for the host goes before one for the provider,
 * a whole name before a beginning, a longer beginning before a shorter one.
 */
import { comparable } from './model-name.ts';
import type { OverlayPrice } from './overlay.ts';

/** Prices of an overlay that concern this seller, ready to be asked for a model's name as it was reported. */
export function pricesForModel(
  prices: readonly OverlayPrice[],
  seller: { readonly provider: string | null; readonly host: string | null },
): (model: string) => OverlayPrice | null {
  const byHost = prices.filter((price) => price.seller.kind === 'host' && price.seller.host === seller.host);
  const byProvider = prices.filter((price) => price.seller.kind === 'provider' && price.seller.provider === seller.provider);
  const lookUps = [byHost, byProvider].filter((some) => some.length > 0).map(lookUp);
  return (model) => {
    const name = comparable(model);
    for (const look of lookUps) {
      const price = look(name);
      if (price !== null) return price;
    }
    return null;
  };
}

function lookUp(prices: readonly OverlayPrice[]): (name: string) => OverlayPrice | null {
  const whole = new Map(prices.filter(({ model }) => !model.endsWith('*')).map((price) => [price.model, price]));
  const beginnings = prices.filter(({ model }) => model.endsWith('*')).toSorted((a, b) => b.model.length - a.model.length);
  return (name) => whole.get(name) ?? beginnings.find(({ model }) => name.startsWith(model.slice(0, -1))) ?? null;
}
