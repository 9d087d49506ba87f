/** The prices that records were priced by, found by the name that each carries, as far as they are kept. */
import { createPriceBook, type PriceBook } from '@metergate/core/price/price-book.ts';
import { parseOverlay } from '@metergate/core/price/overlay.ts';
import type { PriceList } from '@metergate/core/price/price-list.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import type { UseCaseContext } from '../context.ts';
import { listedPrices } from '../prices.ts';
import { sha256Of } from '../sha256.ts';

interface OwnPrices {
  /** Null: they are gone, or no list made the cost. */
  of(priceList: string | null): Promise<PriceBook | null>;
}

/**
 * Lists that are remembered beside those in force. A book takes megabytes, a daily feed makes one each day, and records are read in the order
 * of time.
 */
const rememberedMax = 8;

/** `current`: the prices in force, which most records name. */
export function ownPrices({ store }: UseCaseContext, current: PriceBook): OwnPrices {
  const known = new Map<string, PriceBook>();
  const shipped = listedPrices();
  known.set(current.context.listId, listedPrices(current.context.list)).set(shipped.context.listId, shipped);
  if (current.context.overlayId !== null) known.set(current.context.overlayId, current);
  const earlier = new Map<string, PriceBook | null>();
  return {
    async of(priceList) {
      if (priceList === null) return null;
      const book = known.get(priceList) ?? earlier.get(priceList);
      if (book !== undefined) return book;
      // Reading a list takes some ten milliseconds, and a page of calls may name a hundred.
      await othersFirst();
      const read = bookFrom(priceList, await store.prices.list(priceList), current.context.list);
      for (const oldest of earlier.keys()) if (earlier.size >= rememberedMax) earlier.delete(oldest);
      earlier.set(priceList, read);
      return read;
    },
  };
}

function bookFrom(id: string, text: string | null, list: PriceList): PriceBook | null {
  if (text === null) return null;
  if (!id.startsWith('overlay/')) return createPriceBook({ list: JSON.parse(text) as PriceList, overlay: null });
  const parsed = parseOverlay(text, null);
  return 'refusal' in parsed ? null
    : createPriceBook({ list, overlay: { overlay: parsed.overlay, hash: sha256Of(text) } });
}
