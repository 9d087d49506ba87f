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
  const valueOf = (row: ShownUsage): string => JSON.stringify(named.map((dimension) => row[dimension] ?? null));
  const sums = new Map<string, bigint>();
  for (const row of rows) sums.set(valueOf(row), (sums.get(valueOf(row)) ?? 0n) + sizeOf(row, order));
  const ranks = new Map([...sums].sort(([, one], [, other]) => (one === other ? 0 : one > other ? -1 : 1)).map(([value], rank) => [value, rank]));
  const rankOf = (row: ShownUsage): number => ranks.get(valueOf(row))!;
  const kept = rows.filter((row) => rankOf(row) < top)
    .sort((one, other) => rankOf(one) - rankOf(other) || (time === undefined ? 0 : one[time]! < other[time]! ? -1 : 1));
  const others = Map.groupBy(rows.filter((row) => rankOf(row) >= top), (row) => (time === undefined ? '' : row[time]!));
  const nothing = Object.fromEntries(named.map((dimension) => [dimension, null]));
  return [...kept, ...[...others].sort(([one], [other]) => (one < other ? -1 : 1)).map(([at, rest]): RankedUsage => ({
    ...(time === undefined ? {} : { [time]: at }), ...nothing, ...addedUp(rest), everythingElse: new Set(rest.map(valueOf)).size,
  }))];
}

/** Rows by this, the largest first; what is equal keeps its order. */
export function rankedUsage(rows: readonly ShownUsage[], order: UsageOrder): ShownUsage[] {
  return rows.toSorted((one, other) => {
    const [a, b] = [sizeOf(one, order), sizeOf(other, order)];
    return a === b ? 0 : a > b ? -1 : 1;
  });
}

function sizeOf({ cost, calls, inputTokens, outputTokens }: ShownFigures, order: UsageOrder): bigint {
  if (order === 'cost') return unformatDollars(cost);
  return BigInt(order === 'calls' ? calls : inputTokens + outputTokens);
}
