/**
 * Calls → the sums of their hour: how many, tokens, cost, failures, latency. The overview reads these sums, never the records. A figure is a
 * name and a whole amount, so figures add up and a new one needs no new column.
 *
 * Latencies are counted in buckets that grow by a fourth root of two: a percentile read from them is within a tenth of the true one.
 */
import type { CallRecord } from '../record/call-record.ts';
import { lackingCounts } from '../spend/lacking-calls.ts';
import { figureOf, type WholeFigure } from './usage-sum.ts';

export const hourMs = 3_600_000;

/** The parts of a record that count. */
export type HourRecord = Pick<CallRecord,
  'organization' | 'startedAtMs' | 'outcome' | 'status' | 'inputTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'outputTokens' | 'reasoningTokens'
  | 'usage' | 'cost' | 'costGaps' | 'costSource' | 'firstByteMs' | 'durationMs'>
  & Partial<Pick<CallRecord, 'settledBy'>>;

/** The figures of an hour other than latencies, one word each, since they are keys of many rows. */
const hourFigures = [
  'calls', 'cost', 'input', 'cached', 'written', 'output', 'reasoning', 'unknown', 'unpriced', 'gaps', 'errors', 'throttled',
] as const;
type HourFigure = (typeof hourFigures)[number];

/** `d12`: durations of bucket 12; `f3`: first bytes of bucket 3. */
type LatencyKind = 'd' | 'f';

/** A bucket to every fourth root of two from a millisecond on. */
const bucketsPerDoubling = 4;
/** About 49 days. */
const bucketMax = 128;

/** Reports each figure of one call, in no particular order; zeros are left out. */
export function reportHourFigures(record: HourRecord, tell: (figure: string, amount: WholeFigure) => void): void {
  const add = (figure: HourFigure, amount: WholeFigure | null): void => {
    if (amount !== null && amount !== 0) tell(figure, amount);
  };
  add('calls', 1);
  add('cost', figureOf(record.cost));
  add('input', record.inputTokens);
  add('cached', record.cachedTokens);
  add('written', record.cacheWriteTokens);
  add('output', record.outputTokens);
  add('reasoning', record.reasoningTokens);
  add('unknown', lackingCounts.unknownCalls(record) ? 1 : 0);
  add('unpriced', record.costSource === 'unpriced' ? 1 : 0);
  add('gaps', record.costGaps.length > 0 ? 1 : 0);
  add('errors', isProviderError(record) ? 1 : 0);
  add('throttled', record.status === 429 ? 1 : 0);
  if (record.outcome !== 'completed' || record.status === null || record.status >= 400) return;
  if (record.durationMs !== null) tell(bucketNames.d[bucketOf(record.durationMs)]!, 1);
  if (record.firstByteMs !== null) tell(bucketNames.f[bucketOf(record.firstByteMs)]!, 1);
}

const namesOf = (kind: LatencyKind): readonly string[] => Array.from({ length: bucketMax + 1 }, (_, bucket) => `${kind}${bucket}`);
const bucketNames: { readonly [Kind in LatencyKind]: readonly string[] } = { d: namesOf('d'), f: namesOf('f') };

/** The provider was not reached, cut the answer, or answered with its own fault. */
export function isProviderError({ outcome, status }: Pick<CallRecord, 'outcome' | 'status'>): boolean {
  return outcome === 'failed' || outcome === 'cut' || (status !== null && status >= 500);
}

function bucketOf(ms: number): number {
  return Math.min(bucketMax, Math.floor(Math.log2(Math.max(0, ms) + 1) * bucketsPerDoubling));
}

/** The middle of a bucket, in milliseconds. */
function middleOf(bucket: number): number {
  return 2 ** ((bucket + 0.5) / bucketsPerDoubling) - 1;
}

/** The `share` (0 to 1) of all that were at most this long, milliseconds; null if there were none. */
export function percentileOf(figures: ReadonlyMap<string, bigint>, kind: LatencyKind, share: number): number | null {
  const buckets = [...figures].filter(([figure]) => figure.startsWith(kind) && /^\d+$/.test(figure.slice(1)))
    .map(([figure, count]) => [Number(figure.slice(1)), count] as const).sort(([one], [other]) => one - other);
  const all = buckets.reduce((sum, [, count]) => sum + count, 0n);
  let left = Number(all) * share;
  for (const [bucket, count] of buckets) {
    left -= Number(count);
    if (left <= 0) return Math.round(middleOf(bucket));
  }
  return null;
}
