/** The state of the Baseline, in plain words. */
import { Group, Progress, Text } from '@mantine/core';
import type { Shown } from '../../api/client.ts';
import { Panel } from '../../parts/page.tsx';
import { percentOf } from '../../parts/spent-bar.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Moment } from '../../shown/figures.tsx';

export type ListedBaseline = Shown<'ReportedBaseline'>;

const states = {
  waiting: { words: 'Waiting', means: 'warn' },
  reporting: { words: 'Reporting', means: 'good' },
  closed: { words: 'Closed', means: 'over' },
} as const;

const dayMs = 86_400_000;

export function BaselineBadge({ baseline }: { readonly baseline: ListedBaseline }) {
  const { words, means } = states[baseline.state];
  return (
    <Panel>
      <Group justify="space-between">
        <Group gap="sm">
          <StateBadge means={means}>{words}</StateBadge>
          <Text size="sm" role="status">
            <Sentence of={baseline} />
          </Text>
        </Group>
        <Text size="xs" c="dimmed">
          Tap key <span className="mono">{baseline.prefix}…</span>
        </Text>
      </Group>
      {baseline.state === 'reporting' && baseline.firstDay !== null ? <DaysGone firstDay={baseline.firstDay} /> : null}
    </Panel>
  );
}

function Sentence({ of: { state, report, firstDay, closesAt, retiredAt } }: { readonly of: ListedBaseline }) {
  const events = report.total.calls.value;
  if (retiredAt !== null) return <>The tap was ended for good.</>;
  if (state === 'waiting') {
    return events === 0 ? (
      <>No event has come yet. The seven days begin with the first whole day of priced calls.</>
    ) : (
      <>{events.toLocaleString('en-US')} events have come. The seven days begin with the first whole day of priced calls.</>
    );
  }
  if (state === 'reporting') {
    return (
      <>
        Counting since {firstDay}; it closes <Moment at={closesAt} relative />.
      </>
    );
  }
  return (
    <>
      Closed on <Moment at={closesAt} />. The figures below are final.
    </>
  );
}

function DaysGone({ firstDay }: { readonly firstDay: string }) {
  const gone = Math.min(7, Math.max(0, (Date.now() - Date.parse(firstDay)) / dayMs));
  return <Progress mt="sm" value={percentOf(gone / 7)} aria-label={`${Math.floor(gone)} of seven days are over`} />;
}
