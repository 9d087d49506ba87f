/**
 * Prices in force: the list, overlaid by the operator's own. Rule 6; rules: `prices`. The list is the one that is shipped, unless another was
 * imported (`price-import.ts`). A price file is validated completely before it is stored; an invalid one leaves the earlier one in force.
 */
import { parseOverlay } from '@metergate/core/price/overlay.ts';
import { createPriceBook, type PriceBook } from '@metergate/core/price/price-book.ts';
import { priceList, type PriceList } from '@metergate/core/price/price-list.ts';
import { priceChanges, type PriceChange } from '@metergate/core/price/price-changes.ts';
import { listOf, priceBookOf } from '@metergate/core/price/price-texts.ts';
import { pricesInForce, showPrices, type PriceInForce, type ShownPrices } from '@metergate/core/price/show.ts';
import type { UseCaseContext } from './context.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { sha256Of } from './sha256.ts';

export interface LoadedPrices {
  /** How many prices of the overlay are now in force. */
  readonly prices: number;
  /** The name that every record priced by them carries. */
  readonly overlay: string | null;
}

type Asking = Pick<UseCaseContext, 'nowMs'> & { readonly store: UseCaseContext['store'] | null };

/**
 * Every known price for a model; an empty list if there is none. Without a store (none was made yet) only the shipped
 * list is used.
 */
export async function knownPrices({ store, nowMs }: Asking, model: string): Promise<ShownPrices | AdministrationRefusal> {
  const book = await priceBook({ store });
  return isRefusal(book) ? book : showPrices(book, model, nowMs);
}

/** What loading a price file would change for the listed models. Loads nothing. */
export async function changesByLoading({ store, nowMs }: UseCaseContext, json: string): Promise<readonly PriceChange[] | AdministrationRefusal> {
  const texts = await store.prices.texts();
  const after = bookOfFile(json, listOf(texts.list));
  if (isRefusal(after)) return after;
  const before = priceBookOf(texts, sha256Of);
  return priceChanges('refusal' in before ? listedPrices(listOf(texts.list)) : before, after, nowMs);
}

/** Every price in force: the operator's own, then those of the named providers' models. */
export async function listPrices({ store, nowMs }: Asking): Promise<readonly PriceInForce[] | AdministrationRefusal> {
  const book = await priceBook({ store });
  return isRefusal(book) ? book : pricesInForce(book, nowMs);
}

/** Puts a price file's prices in force; they replace those loaded before. */
export async function loadPrices({ store }: UseCaseContext, json: string): Promise<LoadedPrices | AdministrationRefusal> {
  const book = bookOfFile(json, listOf((await store.prices.texts()).list));
  if (isRefusal(book)) return book;
  await store.prices.loadOverlay(json, book.context.overlayId ?? undefined);
  return { prices: book.context.overlay?.prices.length ?? 0, overlay: book.context.overlayId };
}

/** A price file's prices over a list, without putting them in force. */
export function bookOfFile(json: string, list: PriceList): PriceBook | AdministrationRefusal {
  const parsed = parseOverlay(json, list);
  if ('refusal' in parsed) return refuseInput('invalid_price_file', parsed.refusal);
  return createPriceBook({ list, overlay: { overlay: parsed.overlay, hash: sha256Of(json) } });
}

/** The prices in force. Without a store: the shipped list. */
export async function priceBook(
  { store }: { readonly store: UseCaseContext['store'] | null },
): Promise<PriceBook | AdministrationRefusal> {
  const book = priceBookOf(store === null ? { list: null, overlay: null } : await store.prices.texts(), sha256Of);
  return 'refusal' in book ? refuseInput('invalid_price_file', book.refusal) : book;
}

/** Only the list in force. */
export async function listInForce({ store }: Pick<UseCaseContext, 'store'>): Promise<PriceBook> {
  return listedPrices(listOf((await store.prices.texts()).list));
}

/** Only a list. */
export function listedPrices(list: PriceList = priceList): PriceBook {
  return createPriceBook({ list, overlay: null });
}
