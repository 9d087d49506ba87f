/** The state of a run, and how much of its budget is spent. */
import { Text } from '@mantine/core';
import type { Shown } from '../../api/client.ts';
import { SpentBar } from '../../parts/spent-bar.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Money } from '../../shown/figures.tsx';

export type ListedRun = Shown<'Run'>;

const states = {
  live: { words: 'Live', means: 'good' },
  expired: { words: 'Expired', means: 'over' },
  over_budget: { words: 'Over budget', means: 'bad' },
  closed: { words: 'Closed', means: 'over' },
} as const;

export function runStateWords(state: ListedRun['state']): string {
  return states[state].words;
}

export function RunBadge({ of: run }: { readonly of: ListedRun }) {
  const { words, means } = states[run.state];
  return <StateBadge means={means}>{words}</StateBadge>;
}

export function Budget({ of: run }: { readonly of: ListedRun }) {
  if (run.effective === null) {
    return (
      <Text span inherit c="dimmed">
        none
      </Text>
    );
  }
  const part = Number(run.effective) === 0 ? 1 : Number(run.spent) / Number(run.effective);
  return (
    <div style={{ minWidth: 130 }}>
      <Money amount={run.effective} />
      {run.clampReason === null ? null : (
        <Text span size="xs" className="warn">
          {' '}
          lowered
        </Text>
      )}
      <SpentBar below part={part} label="Spent of the budget" />
    </div>
  );
}
