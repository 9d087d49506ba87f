/** The columns of the table of caps. */
import { Badge, Button, Group, Progress, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { ask, type Shown } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Confirm } from '../../parts/confirm.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { useDoing } from '../../parts/doing.ts';
import { percent, wholeCount } from '../../shown/amounts.ts';
import { Money, Moment } from '../../shown/figures.tsx';
import type { KeyNames } from '../../shown/key-names.ts';
import { CapForecast } from './cap-forecast.tsx';
import { share } from './cap-share.ts';

type Cap = Shown<'Cap'>;

export function capColumns(names: KeyNames, onEdit: (cap: Cap) => void): readonly Column<Cap>[] {
  return [
    { id: 'subject', head: 'Of', sortBy: (cap) => cap.scope, cell: (cap) => <CapSubject cap={cap} names={names} /> },
    { id: 'window', head: 'Window', sortBy: (cap) => cap.window, cell: (cap) => cap.window },
    { id: 'spent', head: 'Spent of limit', sortBy: (cap) => share(cap), cell: (cap) => <Spent of={cap} /> },
    { id: 'state', head: 'State', cell: (cap) => <CapState of={cap} /> },
    { id: 'forecast', head: 'Will be reached', sortBy: (cap) => cap.forecastAt ?? '9', cell: (cap) => <CapForecast of={cap} /> },
    { id: 'resets', head: 'Starts again', cell: (cap) => <Moment at={cap.resetsAt} none="never" relative /> },
    { id: 'actions', head: '', right: true, cell: (cap) => <CapActions of={cap} onEdit={() => onEdit(cap)} /> },
  ];
}

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
  return (
    <span>
      Project{' '}
      <Text span inherit fw={550} className="wrap">
        {cap.project}
      </Text>
    </span>
  );
}

export function Spent({ of: cap }: { readonly of: Cap }) {
  const part = share(cap);
  return (
    <div style={{ minWidth: 180 }}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <span>
          <Money amount={cap.spent} /> of <Money amount={cap.limit} />
        </span>
        <Text span size="xs" c="dimmed">
          {percent(Number(cap.spent), Number(cap.limit))}
        </Text>
      </Group>
      <Progress
        value={Math.min(100, part * 100)}
        mt={4}
        size="sm"
        aria-label={`Spent ${percent(Number(cap.spent), Number(cap.limit))} of the limit`}
        color={part >= 1 ? 'red' : part >= 0.8 ? 'yellow' : 'tide'}
      />
      {cap.unknownCalls === 0 ? null : (
        <Text size="xs" className="warn">
          {wholeCount(cap.unknownCalls)} calls of unknown cost are not in it
        </Text>
      )}
    </div>
  );
}

export function CapState({ of: cap }: { readonly of: Cap }) {
  if (cap.state === 'shown') {
    return (
      <Tooltip label="Caps of keys refuse nothing in this organization: its settings say so." multiline maw={260}>
        <Badge variant="default" c="dimmed" tabIndex={0}>
          Only shown
        </Badge>
      </Tooltip>
    );
  }
  const reached = cap.state === 'reached' || share(cap) >= 1;
  const answers = cap.mode === 'pause' ? 'answers 429 with the time until it starts again' : 'answers 402';
  return (
    <Tooltip label={`Once reached, it ${answers}.`} multiline maw={260}>
      <Badge variant="light" color={reached ? 'red' : 'green'} c={reached ? 'var(--bad)' : 'var(--good)'} tabIndex={0}>
        {reached ? (cap.mode === 'pause' ? 'Pausing calls' : 'Refusing calls') : cap.mode === 'pause' ? 'Armed, pauses' : 'Armed, refuses'}
      </Badge>
    </Tooltip>
  );
}

function CapActions({ of: cap, onEdit }: { readonly of: Cap; readonly onEdit: () => void }) {
  const may = useMay('admin');
  const [asked, removal] = useDisclosure(false);
  const removing = useDoing({
    run: () => ask.DELETE('/platform/v1/caps/{id}', { params: { path: { id: cap.id } } }),
    done: 'The cap is removed.',
    changes: ['/platform/v1/caps'],
    after: removal.close,
  });
  if (!may) return null;
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button size="compact-sm" variant="default" onClick={onEdit}>
        Change
      </Button>
      <Button size="compact-sm" variant="subtle" color="red" c="var(--bad)" onClick={removal.open}>
        Remove…
      </Button>
      <Confirm
        opened={asked}
        title="Remove this cap?"
        act="Remove"
        busy={removing.isPending}
        onAct={() => removing.mutate(undefined)}
        onClose={removal.close}>
        Calls are no longer held to it. What was spent stays counted, so a new cap knows it.
      </Confirm>
    </Group>
  );
}
