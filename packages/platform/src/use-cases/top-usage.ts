/**
 * The largest rows of usage, and everything else in one row: of long lists, a chart or a table shows what matters, and its sums stay those of the
 * records. Pure. Rows are ranked and added up as the store has them: only those that are shown become texts.
 */
import { unformatDollars } from '@metergate/core/money.ts';
import { addUsage, addWhole, figurePlaces, noUsage, type UsageFigures, type WholeFigure } from '@metergate/core/report/usage-sum.ts';
import type { UsageRow } from '@metergate/store/usage/usage-reports.ts';
import { isTime, largerFirst, shownRows, type AskedDimension, type ShownFigures, type ShownUsage } from './usage.ts';

/** What rows are ranked by: `tokens` are those in and out. */
export const usageOrders = ['cost', 'calls', 'tokens'] as const;
export type UsageOrder = (typeof usageOrders)[number];

export interface RankedUsage extends ShownUsage {
  /** Set on the row of everything else: how many values it holds; its dimensions are null but for a time. */
  readonly everythingElse?: number;
}

/** Everything else at one time, or of all times. */
interface Others {
  readonly figures: UsageFigures;
  readonly values: Set<string>;
}

/**
 * The `top` values of what is no time, the largest over all rows first, and after them everything else. Where one dimension is a time, each
 * value has its rows of every time, in order of time, and everything else has one row for each. Of calls with several labels, each is in several
 * rows, and may be more than once in everything else.
 */
export function topUsage(
  by: readonly AskedDimension[], rows: readonly UsageRow[], { top, order }: { readonly top: number; readonly order: UsageOrder },
): RankedUsage[] {
  const named = [...by.keys()].filter((index) => !isTime(by[index]!));
  const time = by.findIndex(isTime);
  if (named.length === 0) return shownRows(by, rows);
  const valueOf = ({ subjects }: UsageRow): string => (named.length === 1 ? subjects[named[0]!]! : named.map((index) => subjects[index]).join('\0'));
  const sums = new Map<string, WholeFigure>();
  for (const row of rows) sums.set(valueOf(row), addWhole(sums.get(valueOf(row)) ?? 0, sizeOf(row, order)));
  const largest = [...sums].sort(([, one], [, other]) => largerFirst(one, other)).slice(0, top);
  const ranks = new Map(largest.map(([value], rank) => [value, rank]));
  const kept: { readonly row: UsageRow; readonly rank: number }[] = [];
  const others = new Map<string, Others>();
  for (const row of rows) {
    const value = valueOf(row);
    const rank = ranks.get(value);
    if (rank === undefined) addTo(others, time < 0 ? '' : row.subjects[time]!, { value, row });
    else kept.push({ row, rank });
  }
  const inOrder = kept.sort((one, other) =>
    one.rank - other.rank || (time < 0 ? 0 : Number(one.row.subjects[time]) - Number(other.row.subjects[time])));
  const rest = [...others].sort(([one], [other]) => Number(one) - Number(other));
  const shownRest = shownRows(by, rest.map(([at, { figures }]) => ({ subjects: by.map((_, index) => (index === time ? at : '')), figures })));
  return [
    ...shownRows(by, inOrder.map(({ row }) => row)),
    ...shownRest.map((row, index): RankedUsage => ({ ...row, everythingElse: rest[index]![1].values.size })),
  ];
}

function addTo(others: Map<string, Others>, at: string, { value, row }: { readonly value: string; readonly row: UsageRow }): void {
  let known = others.get(at);
  if (known === undefined) others.set(at, known = { figures: noUsage(), values: new Set() });
  addUsage(known.figures, row.figures);
  known.values.add(value);
}

/** Rows by this, the largest first; what is equal keeps its order. */
export function rankedRows(rows: readonly UsageRow[], order: UsageOrder): UsageRow[] {
  return rows.map((row) => ({ row, size: sizeOf(row, order) })).sort((one, other) => largerFirst(one.size, other.size)).map(({ row }) => row);
}

function sizeOf({ figures }: UsageRow, order: UsageOrder): WholeFigure {
  if (order === 'tokens') return addWhole(figures[figurePlaces.inputTokens] ?? 0, figures[figurePlaces.outputTokens] ?? 0);
  return figures[figurePlaces[order]] ?? 0;
}

/** The same of rows that are shown already. */
export function rankedUsage(rows: readonly ShownUsage[], order: UsageOrder): ShownUsage[] {
  const sized = rows.map((row) => ({ row, size: shownSizeOf(row, order) }));
  return sized.sort((one, other) => largerFirst(one.size, other.size)).map(({ row }) => row);
}

function shownSizeOf({ cost, calls, inputTokens, outputTokens }: ShownFigures, order: UsageOrder): WholeFigure {
  if (order === 'cost') return unformatDollars(cost);
  return order === 'calls' ? calls : BigInt(inputTokens) + BigInt(outputTokens);
}
