/**
 * Calls → the figures of a usage report: calls, tokens and cost, by one or two dimensions. Rules: `usage`. The figures are one table,
 * `usageFigures`. Stored sums, sums of parts of days, SQL and answers all loop over it. Sums stop at the 64-bit bound and never wrap.
 */
import { nanoDollarsMax } from '../money.ts';
import type { CallRecord } from '../record/call-record.ts';
import { lackingCounts } from '../spend/lacking-calls.ts';

/** What tells calls apart by who made them and what for; a call has one of each, or none. */
export const attributionDimensions = ['model', 'key', 'project', 'wire', 'endpoint'] as const;
export type AttributionDimension = (typeof attributionDimensions)[number];
/** What a call has none, one or several of. */
export const wordDimensions = ['label', 'run'] as const;
export type WordDimension = (typeof wordDimensions)[number];
export const timeDimensions = ['hour', 'day', 'month'] as const;
export type TimeDimension = (typeof timeDimensions)[number];

/** What no sum holds: calls that have it are read from the records, and of upstreams all calls. */
export const recordDimensions = ['session', 'upstream'] as const;
export type RecordDimension = (typeof recordDimensions)[number];

export const usageDimensions = [
  'model', 'key', 'project', 'label', 'run', 'session', 'upstream', 'day', 'month', 'hour', 'wire', 'endpoint',
] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** The parts of a record that count. */
export type UsageRecord = Pick<CallRecord,
  | 'organization' | 'key' | 'project' | 'labels' | 'run' | 'session' | 'model' | 'wire' | 'endpoint' | 'startedAtMs' | 'inputTokens' | 'cachedTokens'
  | 'cacheWriteTokens' | 'outputTokens' | 'reasoningTokens' | 'usage' | 'cost' | 'costGaps' | 'costSource' | 'cacheSavings'>
  & Partial<Pick<CallRecord, 'settledBy'>>;

/** A whole number: a `bigint` where a double could not hold it exactly. */
export type WholeFigure = number | bigint;

/**
 * Every figure of a sum, in order, and what one call adds to it. Tokens as the wires report them: the second wire's input is
 * without cache reads and writes. Money in nano-dollars. `savedCalls` counts the calls whose saving by caching is known.
 */
const usageFigures = {
  calls: (): WholeFigure => 1,
  inputTokens: (record: UsageRecord): WholeFigure => record.inputTokens ?? 0,
  cachedTokens: (record: UsageRecord): WholeFigure => record.cachedTokens ?? 0,
  cacheWriteTokens: (record: UsageRecord): WholeFigure => record.cacheWriteTokens ?? 0,
  outputTokens: (record: UsageRecord): WholeFigure => record.outputTokens ?? 0,
  reasoningTokens: (record: UsageRecord): WholeFigure => record.reasoningTokens ?? 0,
  cost: (record: UsageRecord): WholeFigure => figureOf(record.cost),
  cacheSavings: (record: UsageRecord): WholeFigure => figureOf(record.cacheSavings),
  savedCalls: (record: UsageRecord): WholeFigure => (record.cacheSavings === null ? 0 : 1),
  unknownCalls: (record: UsageRecord): WholeFigure => (lackingCounts.unknownCalls(record) ? 1 : 0),
  unpricedCalls: (record: UsageRecord): WholeFigure => (lackingCounts.unpricedCalls(record) ? 1 : 0),
  gapCalls: (record: UsageRecord): WholeFigure => (lackingCounts.gapCalls(record) ? 1 : 0),
} as const;

export type UsageFigureName = keyof typeof usageFigures;
export const usageFigureNames = Object.keys(usageFigures) as readonly UsageFigureName[];

/** The figures of some calls, in the order of `usageFigureNames`. Changed in place. */
export type UsageFigures = WholeFigure[];

const ofCall = Object.values(usageFigures);
const largest: bigint = nanoDollarsMax;
const safest = BigInt(Number.MAX_SAFE_INTEGER);

/** The sum of no calls. */
export function noUsage(): UsageFigures {
  return ofCall.map(() => 0);
}

/** The figures of one call. */
export function usageOfCall(record: UsageRecord): UsageFigures {
  return ofCall.map((figure) => figure(record));
}

/** Adds the figures of other calls. */
export function addUsage(figures: UsageFigures, other: readonly WholeFigure[]): void {
  for (let index = 0; index < ofCall.length; index += 1) figures[index] = addWhole(figures[index]!, other[index]!);
}

/** Where each figure stands: reports of many rows read figures at their places. */
export const figurePlaces = Object.fromEntries(usageFigureNames.map((name, index) => [name, index])) as Readonly<Record<UsageFigureName, number>>;

/** One of the figures, exact. */
export function figureIn(figures: readonly WholeFigure[], name: UsageFigureName): bigint {
  return BigInt(figures[figurePlaces[name]] ?? 0);
}

/** Exact, up to the 64-bit bound. */
export function addWhole(one: WholeFigure, other: WholeFigure): WholeFigure {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other;
    if (Number.isSafeInteger(sum)) return sum;
  }
  const sum = BigInt(one) + BigInt(other);
  if (sum >= -safest && sum <= safest) return Number(sum);
  return sum > largest ? largest : sum < -largest ? -largest : sum;
}

/** The amount as a figure; nothing is 0. */
export function figureOf(amount: bigint | null): WholeFigure {
  if (amount === null) return 0;
  const figure = Number(amount);
  return Number.isSafeInteger(figure) ? figure : amount;
}

/** A longer name, which only a response can hold, counts under its beginning: an engine's keys have a bound. */
export const subjectLengthMax = 512;

/**
 * The names that a call counts under in the dimension; '' if it has none or an empty one. A call with several labels counts
 * under each of them, once, so the rows of labels may add up to more than there was.
 */
export function subjectsOf(
  dimension: AttributionDimension | WordDimension | 'session', record: Pick<UsageRecord, AttributionDimension | 'labels' | 'run' | 'session'>,
): readonly string[] {
  if (dimension !== 'label') return [subjectOf(record[dimension])];
  const { labels } = record;
  return labels.length === 0 ? [''] : labels.length === 1 ? [subjectOf(labels[0]!)] : [...new Set(labels.map(subjectOf))];
}

/** Names that engines would keep as the same text are the same here already; null and '' too. */
export function subjectOf(name: string | null): string {
  if (name === null) return '';
  const bounded = (name.length > subjectLengthMax ? name.slice(0, subjectLengthMax) : name).toWellFormed();
  return bounded.includes('\0') ? bounded.replaceAll('\0', '\uFFFD') : bounded;
}
