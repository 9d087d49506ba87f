/**
 * Prices in force: the frozen list, overlaid by the operator's own. Rule 6; rules: `prices`.
 * A price file is validated completely before it is stored; an invalid one leaves the earlier one in force.
 */
import { createHash } from 'node:crypto';
import { parseOverlay } from '@metergate/core/price/overlay.ts';
import { createPriceBook, type PriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import { priceChanges, type PriceChange } from '@metergate/core/price/price-changes.ts';
import { pricesInForce, showPrices, type PriceInForce, type ShownPrices } from '@metergate/core/price/show.ts';
import type { UseCaseContext } from './context.ts';
import { refuseInput, type AdministrationRefusal } from './refusal.ts';

export interface LoadedPrices {
  /** How many prices of the overlay are now in force. */
  readonly prices: number;
  /** The name that every record priced by them carries. */
  readonly overlay: string | null;
}

/**
 * Every known price for a model; an empty list if there is none. Without a store (none was made yet) only the frozen
 * list is used.
 */
export async function pricesOf(
  { store, nowMs }: Pick<UseCaseContext, 'nowMs'> & { readonly store: UseCaseContext['store'] | null }, model: string,
): Promise<ShownPrices | AdministrationRefusal> {
  const book = bookWith(store === null ? null : await store.prices.overlay());
  return 'refusal' in book ? refuseInput('invalid_price_file', book.refusal) : showPrices(book, model, nowMs);
}

/** What loading a price file would change for the listed models. Loads nothing. */
export async function changesByLoading({ store, nowMs }: UseCaseContext, json: string): Promise<readonly PriceChange[] | AdministrationRefusal> {
  const after = bookWith(json);
  if ('refusal' in after) return refuseInput('invalid_price_file', after.refusal);
  const before = bookWith(await store.prices.overlay());
  return priceChanges('refusal' in before ? listedPrices() : before, after, nowMs);
}

/** Every price in force: the operator's own, then those of the named providers' models. */
export async function listPrices(
  { store, nowMs }: Pick<UseCaseContext, 'nowMs'> & { readonly store: UseCaseContext['store'] | null },
): Promise<readonly PriceInForce[] | AdministrationRefusal> {
  const book = bookWith(store === null ? null : await store.prices.overlay());
  return 'refusal' in book ? refuseInput('invalid_price_file', book.refusal) : pricesInForce(book, nowMs);
}

/** Puts a price file's prices in force; they replace those loaded before. */
export async function loadPrices({ store }: UseCaseContext, json: string): Promise<LoadedPrices | AdministrationRefusal> {
  const book = bookWith(json);
  if ('refusal' in book) return refuseInput('invalid_price_file', book.refusal);
  await store.prices.loadOverlay(json);
  return { prices: book.context.overlay?.prices.length ?? 0, overlay: book.context.overlayId };
}

/** A price file's prices over the list, without putting them in force. */
export function bookOfFile(json: string): PriceBook | AdministrationRefusal {
  const book = bookWith(json);
  return 'refusal' in book ? refuseInput('invalid_price_file', book.refusal) : book;
}

/** The prices in force. */
export async function priceBook({ store }: Pick<UseCaseContext, 'store'>): Promise<PriceBook | AdministrationRefusal> {
  const book = bookWith(await store.prices.overlay());
  return 'refusal' in book ? refuseInput('invalid_price_file', book.refusal) : book;
}

/** Only the frozen list. */
export function listedPrices(): PriceBook {
  return createPriceBook({ list: priceList, overlay: null });
}

function bookWith(json: string | null): PriceBook | { readonly refusal: string } {
  if (json === null) return listedPrices();
  const parsed = parseOverlay(json);
  if ('refusal' in parsed) return parsed;
  return createPriceBook({ list: priceList, overlay: { overlay: parsed.overlay, hash: createHash('sha256').update(json).digest('hex') } });
}
