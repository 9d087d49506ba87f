/** The cost of a sum of calls, and which calls it lacks. If no call has a known cost, or some may have cost something, $0 is never shown. */
import { Text } from '@mantine/core';
import type { Shown } from '../api/client.ts';
import { Money } from '../shown/figures.tsx';
import { costSaid, incompleteCount, type Incomplete } from '../shown/incomplete-cost.ts';

export type Summed = Pick<Shown<'Usage'>, 'calls' | 'cost' | 'unknownCalls' | 'unpricedCalls' | 'gapCalls'>;

export function UsageCost({ of: sum }: { readonly of: Summed }) {
  const said = costSaid(sum);
  if (said === 'not_known') return <span className="warn nowrap">not known</span>;
  return (
    <>
      <Money amount={sum.cost} />
      {said === 'incomplete' ? <span className="warn small"> incomplete</span> : null}
    </>
  );
}

/** Beside a sum: how many calls may have cost more than it contains; nothing if there are none. */
export function CostIncomplete({ of }: { readonly of: Incomplete }) {
  if (of.calls === 0) return null;
  return (
    <Text size="xs" className="warn">
      The cost of {incompleteCount(of)} {of.calls === 1 ? 'call' : 'calls'} is unknown or incomplete
    </Text>
  );
}

/** Below a number of calls: how many of them have a cost that is unknown or incomplete. What most rows say does not call for attention in each. */
export function OfIncompleteCost({ of }: { readonly of: Incomplete }) {
  return of.calls === 0 ? null : <div className="dim small nowrap">{incompleteCount(of)} with incomplete cost</div>;
}
