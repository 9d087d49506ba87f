/**
 * Calls → what a report of usage says of them: how many, what they took and cost, by model, key, project, label, run or day.
 * Design 5, `usage`. The same function sums each batch as it is kept, the calls of a part of a day, and what tests compare with.
 * Figures saturate at the 64-bit bound and never wrap.
 */
import { nanoDollars, nanoDollarsMax, type NanoDollars } from '../money.ts';
import type { CallRecord } from '../record/call-record.ts';
import { isGapCall, isUnknownCall } from '../spend/spend-sum.ts';

export const usageDimensions = ['model', 'key', 'project', 'label', 'run', 'day'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** What of a record counts. */
export type UsageRecord = Pick<CallRecord,
  'organization' | 'key' | 'project' | 'labels' | 'run' | 'model' | 'startedAtMs' | 'inputTokens' | 'outputTokens'
  | 'usage' | 'cost' | 'costGaps' | 'costSource'>;

/** Of the calls that one row stands for. Changed in place. */
export interface UsageFigures {
  calls: number;
  /** As the wires report them: the second one's input is without cache reads and writes. */
  inputTokens: bigint;
  outputTokens: bigint;
  cost: NanoDollars;
  /** Calls whose usage did not come, or came in part. */
  unknownCalls: number;
  /** Calls with usage that nobody has a price for. */
  unpricedCalls: number;
  /** Calls whose cost lacks something that was reported. */
  gapCalls: number;
}

export function noUsage(): UsageFigures {
  return { calls: 0, inputTokens: 0n, outputTokens: 0n, cost: nanoDollars(0n), unknownCalls: 0, unpricedCalls: 0, gapCalls: 0 };
}

const nothing = nanoDollars(0n);

/** A longer name, which only a response can hold, counts under its beginning: an engine's keys have a bound. */
const subjectLengthMax = 512;

/**
 * What a call counts under: its name in the dimension, '' where it has none or an empty one. A call with several labels counts
 * under each of them, once, so the rows of labels may add up to more than there was.
 */
export function subjectsOf(dimension: Exclude<UsageDimension, 'day'>, record: UsageRecord): readonly string[] {
  if (dimension !== 'label') return [subjectOf(record[dimension])];
  const { labels } = record;
  return labels.length === 0 ? [''] : labels.length === 1 ? [subjectOf(labels[0]!)] : [...new Set(labels.map(subjectOf))];
}

/** Names that engines would keep as the same text are the same here already. */
function subjectOf(name: string | null): string {
  if (name === null) return '';
  const bounded = (name.length > subjectLengthMax ? name.slice(0, subjectLengthMax) : name).toWellFormed();
  return bounded.includes('\0') ? bounded.replaceAll('\0', '\uFFFD') : bounded;
}

/** What one call comes to. */
export function usageOfCall({ inputTokens, outputTokens, usage, cost, costGaps, costSource }: UsageRecord): Readonly<UsageFigures> {
  return {
    calls: 1,
    inputTokens: inputTokens === null ? 0n : BigInt(inputTokens),
    outputTokens: outputTokens === null ? 0n : BigInt(outputTokens),
    cost: cost ?? nothing,
    unknownCalls: isUnknownCall(usage) ? 1 : 0,
    unpricedCalls: costSource === 'unpriced' ? 1 : 0,
    gapCalls: isGapCall(costGaps) ? 1 : 0,
  };
}

/** Adds what other calls came to. */
export function addUsage(figures: UsageFigures, other: Readonly<UsageFigures>): void {
  figures.calls += other.calls;
  figures.inputTokens = saturated(figures.inputTokens + other.inputTokens);
  figures.outputTokens = saturated(figures.outputTokens + other.outputTokens);
  figures.cost = nanoDollars(figures.cost + other.cost);
  figures.unknownCalls += other.unknownCalls;
  figures.unpricedCalls += other.unpricedCalls;
  figures.gapCalls += other.gapCalls;
}

function saturated(amount: bigint): bigint {
  return amount > nanoDollarsMax ? nanoDollarsMax : amount;
}
