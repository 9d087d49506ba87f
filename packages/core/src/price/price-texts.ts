/**
 * What a deployment keeps of its prices → the book of prices in force: the imported list, else the shipped one, and the operator's own prices
 * before it. Rule 6. One function for gateway and platform, so that both price alike.
 */
import { parseOverlay } from './overlay.ts';
import { createPriceBook, type PriceBook } from './price-book.ts';
import { priceList, type PriceList } from './price-list.ts';

/** JSON texts as the store keeps them; null: the shipped list, no prices of the operator's own. */
export interface PriceTexts {
  readonly list: string | null;
  readonly overlay: string | null;
}

let kept: { readonly text: string; readonly list: PriceList } | null = null;

/** The imported list of this text, or the shipped one. Was checked when it was imported. Parsed again only if it is another one. */
export function listOf(text: string | null): PriceList {
  if (text === null) return priceList;
  if (kept?.text !== text) kept = { text, list: JSON.parse(text) as PriceList };
  return kept.list;
}

/** The book, or the sentence that says what is wrong with the operator's prices. `sha256`: lower-case hexadecimal. */
export function priceBookOf({ list: listText, overlay }: PriceTexts, sha256: (text: string) => string): PriceBook | { readonly refusal: string } {
  const list = listOf(listText);
  if (overlay === null) return createPriceBook({ list, overlay: null });
  const parsed = parseOverlay(overlay, null);
  return 'refusal' in parsed ? parsed : createPriceBook({ list, overlay: { overlay: parsed.overlay, hash: sha256(overlay) } });
}
