/**
 * What a recorded call would cost by other prices. The result is exact, from the tokens, tools and tier in the record, or there is none. A
 * call is not repriced in three cases: the prices do not know its model; it went to a declared upstream, and the record does not say which;
 * or its own price list is in force and does not give the recorded cost again, so something went into its price that the record does not
 * keep.
 */
import type { NanoDollars } from '../money.ts';
import { costOf } from './cost.ts';
import type { PriceBook } from './price-book.ts';
import { recordedReading, recordedTokens, type RecordedCall } from './recorded-parts.ts';

export type Repriced =
  /** There is no usage that could be priced. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'not_repriced' }
  /** `gap`: something that was reported is not in this cost, or not at its own price. */
  | { readonly kind: 'repriced'; readonly cost: NanoDollars; readonly gap: boolean };

/** `book`: the prices to try. `own`: those in force, which may be those that the call was priced by. */
export function reprice(record: RecordedCall, { book, own }: { readonly book: PriceBook; readonly own: PriceBook }): Repriced {
  const reading = recordedReading(record);
  if (reading.usage === 'none' || reading.usage === 'unknown' || recordedTokens(record) === null) return { kind: 'nothing' };
  if (record.wire === 'upstream') return { kind: 'not_repriced' };
  const call = { reading, requestedModel: record.requestedModel, provider: record.wire, upstreamHost: null, fallback: null,
    atMs: record.startedAtMs };
  if (record.costSource === 'priced') {
    const again = costOf({ ...call, book: own });
    if (again.priceList === record.priceList && again.cost !== record.cost) return { kind: 'not_repriced' };
  }
  const { cost, costGaps } = costOf({ ...call, book });
  return cost === null ? { kind: 'not_repriced' } : { kind: 'repriced', cost, gap: costGaps.length > 0 };
}
