/**
 * The largest rows of usage, and everything else in one row: of long lists, a chart or a table shows what matters, and its sums stay those of the
 * records. Pure.
 */
import { unformatDollars } from '@metergate/core/money.ts';
import { addedUp, isTime, type AskedDimension, type ShownFigures, type ShownUsage } from './usage.ts';

/** What rows are ranked by: `tokens` are those in and out. */
export const usageOrders = ['cost', 'calls', 'tokens'] as const;
export type UsageOrder = (typeof usageOrders)[number];

export interface RankedUsage extends ShownUsage {
  /** Set on the row of everything else: how many values it holds; its dimensions are null but for a time. */
  readonly everythingElse?: number;
}

/**
 * The `top` values of what is no time, the largest over all rows first, and after them everything else. Where one dimension is a time, each
 * value has its rows of every time, in order of time, and everything else has one row for each. Of calls with several labels, each is in several
 * rows, and may be more than once in everything else.
 */
export function topUsage(
  by: readonly AskedDimension[], rows: readonly ShownUsage[], { top, order }: { readonly top: number; readonly order: UsageOrder },
): RankedUsage[] {
  const named = by.filter((dimension) => !isTime(dimension));
  const time = by.find(isTime);
  if (named.length === 0) return [...rows];
  const [only] = named;
  const valueOf = named.length === 1 ? (row: ShownUsage): string | null => row[only!] ?? null
    : (row: ShownUsage): string => JSON.stringify(named.map((dimension) => row[dimension] ?? null));
  const valued = rows.map((row) => ({ row, value: valueOf(row) }));
  const sums = new Map<string | null, bigint>();
  for (const { row, value } of valued) sums.set(value, (sums.get(value) ?? 0n) + sizeOf(row, order));
  const ranks = new Map([...sums].sort(([, one], [, other]) => (one === other ? 0 : one > other ? -1 : 1)).map(([value], rank) => [value, rank]));
  const ranked = valued.map(({ row, value }) => ({ row, value, rank: ranks.get(value)! }));
  const kept = ranked.filter(({ rank }) => rank < top)
    .sort((one, other) => one.rank - other.rank || (time === undefined ? 0 : one.row[time]! < other.row[time]! ? -1 : 1)).map(({ row }) => row);
  const others = Map.groupBy(ranked.filter(({ rank }) => rank >= top), ({ row }) => (time === undefined ? '' : row[time]!));
  const nothing = Object.fromEntries(named.map((dimension) => [dimension, null]));
  return [...kept, ...[...others].sort(([one], [other]) => (one < other ? -1 : 1)).map(([at, rest]): RankedUsage => ({
    ...(time === undefined ? {} : { [time]: at }), ...nothing, ...addedUp(rest.map(({ row }) => row)),
    everythingElse: new Set(rest.map(({ value }) => value)).size,
  }))];
}

/** Rows by this, the largest first; what is equal keeps its order. */
export function rankedUsage(rows: readonly ShownUsage[], order: UsageOrder): ShownUsage[] {
  const sized = rows.map((row) => ({ row, size: sizeOf(row, order) }));
  return sized.sort((one, other) => (one.size === other.size ? 0 : one.size > other.size ? -1 : 1)).map(({ row }) => row);
}

function sizeOf({ cost, calls, inputTokens, outputTokens }: ShownFigures, order: UsageOrder): bigint {
  if (order === 'cost') return unformatDollars(cost);
  return BigInt(order === 'calls' ? calls : inputTokens + outputTokens);
}
