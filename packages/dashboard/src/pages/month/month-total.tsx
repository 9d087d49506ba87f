/** The one figure of a month: what it cost, with the month before beside it, and what it is made of. */
import { Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Shown } from '../../api/client.ts';
import { FocalAmount } from '../../parts/focal-amount.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { CostIncomplete } from '../../parts/usage-cost.tsx';
import { wholeCount, wholeDollars } from '../../shown/amounts.ts';
import { incompleteIn } from '../../shown/incomplete-cost.ts';
import { monthBefore, monthTitle } from '../../shown/months.ts';

type Month = Shown<'Month'>;

/** How far a month has come. */
const states = {
  running: { means: 'none', word: 'Running' },
  open: { means: 'warn', word: 'Open' },
  closed: { means: 'good', word: 'Closed' },
} as const satisfies Record<Month['state'], unknown>;

function MonthState({ of }: { readonly of: Month['state'] }) {
  return <StateBadge means={states[of].means}>{states[of].word}</StateBadge>;
}

export function MonthTotal({ of: month, before }: { readonly of: Month; readonly before: Month | undefined }) {
  const { figures, correction, late } = month;
  return (
    <Stack gap="xs">
      <Group gap="sm" align="baseline">
        <FocalAmount of={totalSaid(month.adjustedCost)} />
        <MonthState of={month.state} />
      </Group>
      <Text size="sm" c="dimmed">
        {wholeCount(figures.calls)} {figures.calls === 1 ? 'call' : 'calls'} in {monthTitle(month.month)}
        {before === undefined ? null : (
          <>
            ; {totalSaid(before.adjustedCost)} in{' '}
            <Link to="/month" search={{ month: before.month }}>
              {monthTitle(monthBefore(month.month))}
            </Link>
          </>
        )}
      </Text>
      {isZero(correction) && late.length === 0 ? null : (
        <Text size="sm">
          {wholeDollars(figures.cost)} as the calls were priced
          {isZero(correction) ? null : `, ${wholeDollars(correction)} of corrections`}
          {late.map(({ month: of, cost, correction: by }) => (
            <span key={of}>
              , {wholeDollars(cost)} of calls and {wholeDollars(by)} of corrections that were learned late of {monthTitle(of)}
            </span>
          ))}
        </Text>
      )}
      <CostIncomplete of={incompleteIn([figures])} />
    </Stack>
  );
}

/** Every digit, but for nothing at all. */
function totalSaid(amount: string): string {
  return isZero(amount) ? '$0' : wholeDollars(amount);
}

function isZero(amount: string): boolean {
  return Number(amount) === 0;
}
