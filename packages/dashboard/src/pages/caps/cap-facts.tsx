/** What a cap covers, how much of it is spent, and whether it refuses. */
import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Shown } from '../../api/client.ts';
import { CostIncomplete } from '../../parts/usage-cost.tsx';
import { SpentBar } from '../../parts/spent-bar.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { percent } from '../../shown/amounts.ts';
import { Money } from '../../shown/figures.tsx';
import { incompleteIn } from '../../shown/incomplete-cost.ts';
import type { KeyNames } from '../../shown/key-names.ts';
import { share } from './cap-share.ts';

type Cap = Shown<'Cap'>;

export function CapSubject({ cap, names }: { readonly cap: Cap; readonly names: KeyNames }) {
  if (cap.scope === 'organization') {
    return (
      <Text span inherit fw={550}>
        The organization
      </Text>
    );
  }
  if (cap.scope === 'key') {
    return (
      <span>
        Key{' '}
        <Link to="/calls" search={{ key: cap.key ?? undefined }} className="wrap">
          {names.get(cap.key ?? '') ?? cap.key}
        </Link>
      </span>
    );
  }
  const [kind, name] =
    cap.scope === 'person' ? ['Person', cap.person ?? 'a member'] : cap.scope === 'label' ? ['Label', cap.label] : ['Project', cap.project];
  return (
    <span>
      {kind}{' '}
      <Text span inherit fw={550} className="wrap">
        {name}
      </Text>
    </span>
  );
}

export function Spent({ of: cap }: { readonly of: Cap }) {
  const part = share(cap);
  return (
    <div style={{ minWidth: 150 }}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <span>
          <Money amount={cap.spent} /> of <Money amount={cap.limit} />
        </span>
        <Text span size="xs" c="dimmed">
          {percent(Number(cap.spent), Number(cap.limit))}
        </Text>
      </Group>
      <SpentBar below part={part} label={`Spent ${percent(Number(cap.spent), Number(cap.limit))} of the limit`} />
      <CostIncomplete of={incompleteIn([cap])} />
    </div>
  );
}

/** What it does to calls, and when. */
export function capAnswer({ state, mode }: Cap): string {
  if (state === 'shown') return 'Caps of keys refuse nothing in this organization: its settings say so.';
  return `Once reached, it ${mode === 'pause' ? 'answers 429 with the time until it starts again' : 'answers 402'}.`;
}

export function CapBadge({ of: cap }: { readonly of: Cap }) {
  if (cap.state === 'shown') {
    return <StateBadge means="none">Only shown</StateBadge>;
  }
  const reached = cap.state === 'reached' || share(cap) >= 1;
  return (
    <StateBadge means={reached ? 'bad' : 'good'}>
      {reached ? (cap.mode === 'pause' ? 'Pausing calls' : 'Refusing calls') : cap.mode === 'pause' ? 'Armed, pauses' : 'Armed, refuses'}
    </StateBadge>
  );
}
