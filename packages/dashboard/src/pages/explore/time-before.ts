/** Two times side by side: usage beside that of the same length of time before, with what only one of them has. */
import { queryOptions } from '@tanstack/react-query';
import {
  everyRow, groupingOf, keptIfSame, namesOfRow, totalOf, type ExploredRow, type UsageGrouping, type UsageQuestion, type UsageTotal,
} from '../../parts/usage-rows.ts';
import { comparedSpans, type Range } from '../../shown/ranges.ts';

export interface BesideBefore extends UsageGrouping {
  /** Every row of the time, and one without calls for what only the time before had. */
  readonly rows: readonly ExploredRow[];
  readonly total: UsageTotal;
  readonly before: { readonly of: (row: ExploredRow) => ExploredRow | undefined; readonly total: UsageTotal };
}

/** Times cannot stand beside times: a day has no same day before. */
export function mayCompare({ by, and }: UsageGrouping): boolean {
  return ![by, and].some((each) => each === 'day' || each === 'month');
}

/** A time that still runs is compared up to its last full hour, with as much of the time before. */
export function rangesCompared(range: Range, nowMs: number): { readonly now: Range; readonly before: Range } {
  const { now, before } = comparedSpans(range, nowMs);
  return { now: { ...now, name: 'custom' }, before: { ...before, name: 'custom' } };
}

/** `before`: the time to compare with. */
export function besideBeforeQuery(question: UsageQuestion, before: Range) {
  return queryOptions({
    queryKey: ['get', '/platform/v1/usage', 'beside', question, before],
    queryFn: async ({ signal }): Promise<BesideBefore> => {
      const earlier = { ...question, range: before };
      const [now, then] = await Promise.all([sideOf(question, signal), sideOf(earlier, signal)]);
      return besideBefore(question, now, then);
    },
    placeholderData: (former) => keptIfSame(former, question),
  });
}

interface Side {
  readonly rows: readonly ExploredRow[];
  readonly total: UsageTotal;
}

async function sideOf(question: UsageQuestion, signal: AbortSignal): Promise<Side> {
  const [rows, total] = await Promise.all([everyRow(question, signal), totalOf(question, signal)]);
  return { rows, total: { ...total, rows: rows.length } };
}

function besideBefore(question: UsageQuestion, now: Side, before: Side): BesideBefore {
  const nameOf = (row: ExploredRow): string => namesOfRow(row, question);
  const earlier = new Map(before.rows.map((row) => [nameOf(row), row]));
  const here = new Set(now.rows.map(nameOf));
  const gone = before.rows.filter((row) => !here.has(nameOf(row))).map(withoutCalls);
  return {
    ...groupingOf(question), rows: [...now.rows, ...gone], total: now.total,
    before: { of: (row) => earlier.get(nameOf(row)), total: before.total },
  };
}

function withoutCalls(row: ExploredRow): ExploredRow {
  const none = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? 0 : value]));
  return { ...row, ...none, cost: '0.000000000', cacheSavings: null };
}
