/**
 * What a recorded call would cost by other prices. Exact where it is said at all: by the tokens, tools and tier that the record keeps.
 * A call is not repriced where the prices do not know its model, where it went to a declared upstream (the record does not keep which),
 * and where its own prices are at hand and do not give the recorded cost again, so that it was priced by more than the record keeps.
 */
import type { NanoDollars } from '../money.ts';
import { wires } from '../wire/wire.ts';
import { chargedTokens } from './charged-tokens.ts';
import { costOf } from './cost.ts';
import type { PriceBook } from './price-book.ts';
import { recordedReading, type RecordedCall } from './recorded-parts.ts';

export type Repriced =
  /** No usage that could be priced. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'not_repriced' }
  /** `gap`: something reported is not in this cost, or not at its own price. */
  | { readonly kind: 'repriced'; readonly cost: NanoDollars; readonly gap: boolean };

/** `book`: the prices to try. `own`: those in force, which may be those that the call was priced by. */
export function reprice(record: RecordedCall, { book, own }: { readonly book: PriceBook; readonly own: PriceBook }): Repriced {
  const reading = recordedReading(record);
  const tokens = chargedTokens(reading.tokens, wires[record.wire].cachedInInput);
  if (reading.usage === 'none' || reading.usage === 'unknown' || tokens === null) return { kind: 'nothing' };
  if (record.wire === 'upstream') return { kind: 'not_repriced' };
  const call = { reading, provider: record.wire, upstreamHost: null, fallback: null, atMs: record.startedAtMs };
  if (record.costSource === 'priced') {
    const again = costOf({ ...call, book: own });
    if (again.priceList === record.priceList && again.cost !== record.cost) return { kind: 'not_repriced' };
  }
  const { cost, costGaps } = costOf({ ...call, book });
  return cost === null ? { kind: 'not_repriced' } : { kind: 'repriced', cost, gap: costGaps.length > 0 };
}
