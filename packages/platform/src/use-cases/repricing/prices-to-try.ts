/** The prices that calls are priced by again: those in force, the list alone, an imported list, or a file. Rules: `usage`, `reprice`. */
import { createPriceBook, type PriceBook } from '@metergate/core/price/price-book.ts';
import { listOf } from '@metergate/core/price/price-texts.ts';
import type { UseCaseContext } from '../context.ts';
import { listFrom } from '../price-import.ts';
import { bookOfFile, listedPrices, listInForce, priceBook } from '../prices.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';

/**
 * `list`: the price list in force, without the operator's own prices. `current`: with them. `id`: a list that was imported, or the shipped one, as
 * records name it. `file`: the text of a price file, over the list in force, or of a public price list.
 */
export type PricesToTry = 'list' | 'current' | { readonly file: string } | { readonly id: string };

/** What a list's id looks like. */
export const listIdForm = /^\d{4}-\d\d-\d\d\/[0-9a-f]{16}$/;

/** Refuses `invalid_price_file`, `invalid_price_list`. */
export async function bookToTry(context: UseCaseContext, prices: PricesToTry): Promise<PriceBook | AdministrationRefusal> {
  if (prices === 'current') return priceBook(context);
  if (prices === 'list') return listInForce(context);
  if ('id' in prices) return bookOfId(context, prices.id);
  if (!isPublicList(prices.file)) return bookOfFile(prices.file, listOf((await context.store.prices.texts()).list));
  const list = listFrom({ text: prices.file, source: 'file' }, new Date(context.nowMs).toISOString().slice(0, 10));
  return isRefusal(list) ? list : createPriceBook({ list, overlay: null });
}

async function bookOfId({ store }: UseCaseContext, id: string): Promise<PriceBook | AdministrationRefusal> {
  const shipped = listedPrices();
  if (shipped.context.listId === id) return shipped;
  const text = await store.prices.list(id);
  if (text === null) return refuseInput('invalid_price_list', 'No price list of this name is kept. `prices list` shows the one in force.');
  return createPriceBook({ list: listOf(text), overlay: null });
}

/** An operator's price file is an object with `prices`; anything that is no JSON is reported as such a file. */
function isPublicList(text: string): boolean {
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) || (typeof value === 'object' && value !== null && 'providers' in value);
  } catch {
    return false;
  }
}
