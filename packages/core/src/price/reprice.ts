/**
 * What a recorded call would cost by other prices. The result is exact, from the tokens, tools, units and tier in the record, or there is none. A
 * record does not keep everything that a price may depend on (a region, writes to a cache for an hour, other models in the answer). So where the
 * prices that the call was recorded by are at hand, they must give its recorded cost again from the record alone.
 */
import type { NanoDollars } from '../money.ts';
import { costGapNames, type CostGap } from '../record/call-record.ts';
import { outcomePlaceOf } from '../usage/outcome-place.ts';
import { costOf, type Cost } from './cost.ts';
import type { PriceBook } from './price-book.ts';
import { costTogether } from './priced-together.ts';
import { recordedReading, recordedTokens, type PricingRecord } from './recorded-parts.ts';

/**
 * Why a call keeps its cost. `reported`: the upstream reported it. `upstream`: where it went is not recorded, and nothing shows it. `own_prices`: the
 * prices that it was recorded by do not give its cost from the record, or are gone and something counted that records lack. `unknown_model`:
 * no price.
 */
export const notRepricedReasons = ['reported', 'upstream', 'own_prices', 'unknown_model'] as const;
export type NotRepricedReason = (typeof notRepricedReasons)[number];

export type Repriced =
  /** There is no usage that could be priced. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'not_repriced'; readonly why: NotRepricedReason }
  /** `gap`: something that was reported is not in this cost, or not at its own price. */
  | {
    readonly kind: 'repriced'; readonly cost: NanoDollars; readonly gap: boolean; readonly costGaps: readonly CostGap[];
    /** Null: no list made it. */
    readonly priceList: string | null;
  };

export interface PricesAgain {
  /** The prices to try. */
  readonly book: PriceBook;
  /** Those that the call was recorded by; null: they are gone. */
  readonly own: PriceBook | null;
  /** The upstream that is declared now; null: none. */
  readonly upstreamUrl?: string | null;
  /** The provider of the list that it is declared to be; null or absent: its host tells. */
  readonly listedAs?: string | null;
  /** When that upstream was declared as it is now; null or absent: nobody knows. */
  readonly declaredAtMs?: number | null;
  /**
   * If its own prices are gone, a call counts only if nothing shows that its cost depended on what records lack; one to a declared upstream only if
   * its own prices show that it went to the one that is declared now, or if it began after that was declared. Absent: as long as they do not show
   * that it went elsewhere.
   */
  readonly strict?: boolean;
}

const nothing: Repriced = { kind: 'nothing' };

/** Every node knows of a declaration by then, though clocks differ. */
const nodesFollowMs = 60_000;

/** One call by the prices of `book`. Pure. */
export function repricedCall(record: PricingRecord, {
  book, own, upstreamUrl = null, listedAs = null, declaredAtMs = null, strict = false,
}: PricesAgain): Repriced {
  const reading = recordedReading(record);
  if (reading.usage === 'none' || reading.usage === 'unknown' || (recordedTokens(record) === null && reading.units === null)) return nothing;
  if (record.costSource === 'upstream') return { kind: 'not_repriced', why: 'reported' };
  const named = record.wire !== 'upstream';
  const isKnown = named || (declaredAtMs !== null && record.startedAtMs >= declaredAtMs + nodesFollowMs);
  if (!named && upstreamUrl === null) return { kind: 'not_repriced', why: 'upstream' };
  if (!isKnown && strict && record.costSource !== 'priced') return { kind: 'not_repriced', why: 'upstream' };
  const call = {
    reading, requestedModel: record.requestedModel, provider: record.wire === 'upstream' ? null : record.wire,
    upstreamHost: named ? null : upstreamUrl, listedAs: named ? null : listedAs, fallback: null, atMs: record.startedAtMs,
  };
  const price = tellsOfMany(record) ? costTogether : costOf;
  const askedOwn = own === null || record.costSource !== 'priced' ? null : own;
  const again = askedOwn === null ? null : byOwn(record, price({ ...call, book: askedOwn }));
  const isDoubtful = again === null && (isKnown ? strict && dependsOnMore(record) : strict || askedOwn !== null);
  if (again === 'differs' || isDoubtful) return { kind: 'not_repriced', why: 'own_prices' };
  const priced = price({ ...call, book });
  if (priced === null) return { kind: 'not_repriced', why: 'own_prices' };
  const { cost, costGaps: found, priceList } = priced;
  if (cost === null || found.includes('amount')) return { kind: 'not_repriced', why: 'unknown_model' };
  const costGaps = withHidden(found, record, again);
  return { kind: 'repriced', cost, gap: costGaps.length > 0, costGaps, priceList };
}

/** The settlement of a batch: its record has the sum of its requests, which does not say how long each was. */
function tellsOfMany({ path }: PricingRecord): boolean {
  const form = outcomePlaceOf({ method: 'GET', path })?.form;
  return form === 'batch' || form === 'result_file' || form === 'message_results';
}

/** The cost by its own prices, if those are the ones; null: they are others. `differs`: they do not give the recorded cost from the record. */
function byOwn(record: PricingRecord, again: Cost | null): Cost | 'differs' | null {
  if (again === null) return 'differs';
  if (again.priceList !== record.priceList) return null;
  return again.cost === record.cost ? again : 'differs';
}

/** The gaps, with those of the record that come from what it does not keep: no other price closes them. */
function withHidden(found: readonly CostGap[], { costGaps }: PricingRecord, again: Cost | null): readonly CostGap[] {
  const hidden = costGaps.filter((gap) => (again === null ? notKept.includes(gap) : !again.costGaps.includes(gap)));
  return hidden.length === 0 ? found : costGapNames.filter((gap) => found.includes(gap) || hidden.includes(gap));
}

const notKept: readonly CostGap[] = ['region', 'other_model'];

/** Writes to a cache may have been for an hour, and a cost with a gap lacks something that the record may not name. */
function dependsOnMore({ cacheWriteTokens, costGaps }: PricingRecord): boolean {
  return (cacheWriteTokens ?? 0) > 0 || costGaps.some((gap) => notKept.includes(gap));
}
