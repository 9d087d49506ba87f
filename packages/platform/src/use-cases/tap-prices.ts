/**
 * The frozen price list as the tap uses it: no overlay and no fallback, since a modeled cost comes only from the list. Spec: Figure labels.
 * Built when first needed and then kept: the list does not change while a process runs.
 */
import type { TapEvent } from '@metergate/core/tap/event.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import { isPriced, priceSteps } from '@metergate/core/tap/modeled-cost.ts';
import { createPriceBook, type PriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';

interface TapPrices {
  readonly book: PriceBook;
  readonly isPriced: (event: TapEvent) => boolean;
  readonly priceSteps: readonly number[];
}

let made: TapPrices | null = null;

/** The shipped prices as the tap needs them. Made once per process. */
export function tapPrices(): TapPrices {
  if (made === null) {
    const book = createPriceBook({ list: priceList, overlay: null });
    made = { book, isPriced: (event) => isPriced(book, event, dayOf(event.timestampMs)), priceSteps: priceSteps(priceList) };
  }
  return made;
}
