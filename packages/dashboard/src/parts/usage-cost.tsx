/** The cost of a sum of calls, and which of them are not in it. Nothing is shown as $0 that only has no known cost. */
import { Text } from '@mantine/core';
import type { Shown } from '../api/client.ts';
import { wholeCount, wholeDollars } from '../shown/amounts.ts';
import { Money } from '../shown/figures.tsx';

type Summed = Pick<Shown<'Usage'>, 'calls' | 'cost' | 'unknownCalls' | 'unpricedCalls' | 'gapCalls'>;

export interface UsageCostProps {
  readonly of: Summed;
  /** Every digit, as a statement has it; default: short. */
  readonly digits?: 'short' | 'all';
}

export function UsageCost({ of: sum, digits = 'short' }: UsageCostProps) {
  const none = sum.calls > 0 && sum.unknownCalls + sum.unpricedCalls >= sum.calls && Number(sum.cost) === 0;
  if (none) return <span className="warn nowrap">not known</span>;
  return digits === 'all' ? <>{wholeDollars(sum.cost)}</> : <Money amount={sum.cost} />;
}

/** How many calls have a cost that is unknown or incomplete. */
export interface Incomplete {
  readonly calls: number;
  /** False: it is the most that there can be. */
  readonly exact: boolean;
}

type Lacking = Pick<Summed, 'unknownCalls' | 'unpricedCalls' | 'gapCalls'> & { readonly calls?: number };

/**
 * A call whose usage came in part can also lack a price or have a gap, and counts in both figures. Their sum is then only the most that there can
 * be. A call without a price has no gap.
 */
export function incompleteIn(rows: readonly Lacking[]): Incomplete {
  let calls = 0;
  let exact = true;
  for (const row of rows) {
    const priced = row.unpricedCalls + row.gapCalls;
    calls += Math.min(row.calls ?? Infinity, row.unknownCalls + priced);
    exact &&= row.unknownCalls === 0 || priced === 0;
  }
  return { calls, exact };
}

/** `12`, or `up to 12` where the figure is not exact. */
export function incompleteCount({ calls, exact }: Incomplete): string {
  return exact ? wholeCount(calls) : `up to ${wholeCount(calls)}`;
}

/** Beside a sum: how many calls may have cost more than is in it; nothing where there is none. */
export function CostIncomplete({ of }: { readonly of: Incomplete }) {
  if (of.calls === 0) return null;
  return (
    <Text size="xs" className="warn">
      The cost of {incompleteCount(of)} {of.calls === 1 ? 'call' : 'calls'} is unknown or incomplete
    </Text>
  );
}

/** Below a number of calls: how many of them have a cost that is unknown or incomplete. */
export function OfIncompleteCost({ of }: { readonly of: Incomplete }) {
  return of.calls === 0 ? null : <div className="warn small">{incompleteCount(of)} with incomplete cost</div>;
}
