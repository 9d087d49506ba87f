/** How many calls of a sum have a cost that is unknown or incomplete, as far as the sum's counts show it. */
import { wholeCount } from './amounts.ts';

/** The counts of a sum that show what its cost lacks. A call can be in `unknownCalls` and in one of the other two, never in both of those. */
interface Lacking {
  /** Left out if they were not counted. */
  readonly calls?: number;
  /** No usage came, or only a part of it. */
  readonly unknownCalls: number;
  /** No price. */
  readonly unpricedCalls: number;
  /** Something that was used has no price. */
  readonly gapCalls: number;
}

/** How many calls have a cost that is unknown or incomplete. */
export interface Incomplete {
  readonly calls: number;
  /** False: `most` is only an upper bound. */
  readonly exact: boolean;
}

/**
 * A call with partial usage can also lack a price or have a gap; both counts then contain it. So there are at least as many as the larger
 * count, and at most as many as both together.
 */
export function incompleteIn(rows: readonly Lacking[]): Incomplete {
  let calls = 0;
  let exact = true;
  for (const row of rows) {
    const notPriced = row.unpricedCalls + row.gapCalls;
    const most = row.calls ?? Infinity;
    const here = Math.min(most, row.unknownCalls + notPriced);
    calls += here;
    exact &&= here === Math.min(most, Math.max(row.unknownCalls, notPriced));
  }
  return { calls, exact };
}

/** `12`, or `up to 12` if the figure is not exact. */
export function incompleteCount({ calls, exact }: Incomplete): string {
  return exact ? wholeCount(calls) : `up to ${wholeCount(calls)}`;
}

export interface WithCost extends Lacking {
  readonly calls: number;
  readonly cost: string;
}

/**
 * What is known about a sum's cost. `amount`: the amount. `incomplete`: it is $0, and a call may have cost something. `not_known`: it is $0, and
 * certainly no call has a known cost, which one of the counts alone must show.
 */
export function costSaid(sum: WithCost): 'amount' | 'incomplete' | 'not_known' {
  const lacking = incompleteIn([sum]).calls > 0;
  if (!lacking || Number(sum.cost) !== 0) return 'amount';
  return Math.max(sum.unknownCalls, sum.unpricedCalls) >= sum.calls ? 'not_known' : 'incomplete';
}
