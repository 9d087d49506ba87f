/** The prices that records were priced by, found by the name that each carries, as far as they are kept. */
import { createPriceBook, type PriceBook } from '@metergate/core/price/price-book.ts';
import { parseOverlay } from '@metergate/core/price/overlay.ts';
import type { PriceList } from '@metergate/core/price/price-list.ts';
import { createHash } from 'node:crypto';
import type { UseCaseContext } from '../context.ts';
import { listedPrices } from '../prices.ts';

export interface OwnPrices {
  /** Null: they are gone, or no list made the cost. */
  of(priceList: string | null): Promise<PriceBook | null>;
}

/** `current`: the prices in force, which most records name. */
export function ownPrices({ store }: UseCaseContext, current: PriceBook): OwnPrices {
  const known = new Map<string, PriceBook | null>();
  const shipped = listedPrices();
  known.set(current.context.listId, listedPrices(current.context.list)).set(shipped.context.listId, shipped);
  if (current.context.overlayId !== null) known.set(current.context.overlayId, current);
  return {
    async of(priceList) {
      if (priceList === null) return null;
      let book = known.get(priceList);
      if (book === undefined) known.set(priceList, book = bookFrom(priceList, await store.prices.list(priceList), current.context.list));
      return book;
    },
  };
}

function bookFrom(id: string, text: string | null, list: PriceList): PriceBook | null {
  if (text === null) return null;
  if (!id.startsWith('overlay/')) return createPriceBook({ list: JSON.parse(text) as PriceList, overlay: null });
  const parsed = parseOverlay(text, null);
  return 'refusal' in parsed ? null
    : createPriceBook({ list, overlay: { overlay: parsed.overlay, hash: createHash('sha256').update(text).digest('hex') } });
}
