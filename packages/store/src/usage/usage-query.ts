/** The query of a usage report, and which sums can answer it. Pure. */
import type { OrganizationId } from '@metergate/core/id.ts';
import {
  attributionDimensions, timeDimensions, wordDimensions, type AttributionDimension, type TimeDimension, type UsageDimension, type WordDimension,
} from '@metergate/core/report/usage-sum.ts';
import { dayAfter, dayOf } from '@metergate/core/time/utc-day.ts';
import { monthAfter, monthOf } from '@metergate/core/time/utc-month.ts';

/** Only calls with exactly these names. */
export type UsageFilter = { readonly [D in AttributionDimension | WordDimension]?: string | undefined };

export interface UsageQuery {
  readonly organization: OrganizationId;
  /** None, one or two, not the same twice: a row for each combination of their values. None: at most one row, of all calls. */
  readonly by: readonly UsageDimension[];
  readonly filter?: UsageFilter;
  /** Calls that started from this moment on. */
  readonly sinceMs?: number;
  /** Calls that started before this moment. */
  readonly untilMs?: number;
  /** At most this many rows. */
  readonly rowsMax: number;
}

/** From `fromMs` on, before `toMs`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The words of a query in its dimensions and filters, sorted by what kind of sum holds them. */
export interface QueryShape {
  readonly attributions: readonly AttributionDimension[];
  readonly words: readonly WordDimension[];
  readonly time: TimeDimension | null;
}

/** Which dimensions a query uses, sorted by what answers them. */
export function shapeOf({ by, filter = {} }: Pick<UsageQuery, 'by' | 'filter'>): QueryShape {
  const used = new Set<string>([...by, ...Object.entries(filter).filter(([, value]) => value !== undefined).map(([name]) => name)]);
  const times = timeDimensions.filter((each) => used.has(each));
  return {
    attributions: attributionDimensions.filter((each) => used.has(each)),
    words: wordDimensions.filter((each) => used.has(each)),
    // The finest one determines the others.
    time: times[0] ?? null,
  };
}

/**
 * Where the answer comes from: `named` sums of one dimension by day, `attributed` ones by day and month, `words` by day, or the
 * `records` themselves for what no sum holds (hours, labels together with runs, the other labels of calls with a label).
 */
export type SumKind = 'named' | 'attributed' | 'words' | 'records';

/** The narrowest kind of sum that answers the query. */
export function sumKindOf(query: Pick<UsageQuery, 'by' | 'filter'>): SumKind {
  const { attributions, words, time } = shapeOf(query);
  const { by, filter = {} } = query;
  if (time === 'hour' || words.length > 1 || (by.includes('label') && filter.label !== undefined)) return 'records';
  if (words.length === 1) return attributions.length === 0 ? 'named' : 'words';
  const filtered = attributions.some((each) => filter[each] !== undefined);
  return attributions.length <= 1 && !filtered ? 'named' : 'attributed';
}

/** A period cut into whole months, other whole days, and the rest. */
export interface CutSpan {
  readonly months: readonly Span[];
  readonly days: readonly Span[];
  readonly edges: readonly Span[];
}

/** `withMonths`: false if sums by month cannot answer. */
export function cutSpan(span: Span, withMonths: boolean): CutSpan {
  const { inner: days, edges } = insideOf(span, (ms) => (dayOf(ms) === ms ? ms : dayAfter(dayOf(ms))), dayOf);
  if (days === null || !withMonths) return { months: [], days: days === null ? [] : [days], edges };
  const { inner: months, edges: rest } = insideOf(days, (ms) => (monthOf(ms) === ms ? ms : monthAfter(ms)), monthOf);
  return { months: months === null ? [] : [months], days: rest, edges };
}

/** The part of a period between two boundaries, and the rest before and after. */
function insideOf(
  span: Span, up: (ms: number) => number, down: (ms: number) => number,
): { readonly inner: Span | null; readonly edges: readonly Span[] } {
  if (span.fromMs >= span.toMs) return { inner: null, edges: [] };
  const [fromMs, toMs] = [up(span.fromMs), down(span.toMs)];
  if (fromMs >= toMs) return { inner: null, edges: [span] };
  const edges = [{ fromMs: span.fromMs, toMs: fromMs }, { fromMs: toMs, toMs: span.toMs }].filter((part) => part.fromMs < part.toMs);
  return { inner: { fromMs, toMs }, edges };
}
