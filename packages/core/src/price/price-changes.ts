/** Two price books → the differences for the models on the list, which `prices load` shows before it changes anything. Rule 6. */
import { textsOf } from './model-name.ts';
import type { PriceBook } from './price-book.ts';
import type { Seller } from './seller.ts';
import { priceInForce, type ShownPrice } from './show.ts';

/** One listed model whose price changes. */
export interface PriceChange {
  readonly provider: string;
  readonly model: string;
  readonly from: ShownPrice | null;
  readonly to: ShownPrice | null;
}

/** The changes from `before` to `after` at this moment, in the order of the list. Each model appears under every name that the list has for it. */
export function priceChanges(before: PriceBook, after: PriceBook, atMs: number): PriceChange[] {
  const later = after.listedSellers();
  return before.listedSellers().flatMap((seller, index) => {
    const touched = isTouched(before, seller) || isTouched(after, seller);
    return touched ? changesOf(seller, later[index]!, atMs) : [];
  });
}

/** Whether an overlay has any price for this seller: most have none and need no look-up. */
function isTouched({ context }: PriceBook, { provider }: Seller): boolean {
  return context.overlay?.prices.some(({ seller }) => seller.kind === 'provider' && seller.provider === provider?.id) ?? false;
}

function changesOf(before: Seller, after: Seller, atMs: number): PriceChange[] {
  const { id: provider, models } = before.provider!;
  const names = new Set(models.flatMap(({ id, rule }) => [id.toLowerCase(), ...textsOf(rule)]));
  return [...names].flatMap((model) => {
    const [from, to] = [before, after].map((seller) => priceInForce(seller, model, atMs));
    return rateText(from ?? null) === rateText(to ?? null) ? [] : [{ provider, model, from: from ?? null, to: to ?? null }];
  });
}

/** The price a call would pay, from either source. */
function rateText(price: ShownPrice | null): string {
  if (price === null) return '';
  const {
    provider: _provider, host: _host, listedAs: _listedAs, priceList: _priceList, inForce: _inForce, from: _from, daily: _daily, ...rates
  } = price;
  return JSON.stringify(rates);
}
