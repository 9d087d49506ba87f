/** Thresholds of caps: the percentages of a limit at which webhooks are notified. */
import { Badge, Button, Group, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BellRing, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { capsQuery } from '../../api/asked-often.ts';
import { ask, type Shown } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import { useMay } from '../../app/session.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useDoing } from '../../parts/doing.ts';
import { RowButton } from '../../parts/named-by-row.tsx';
import { Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { useKeyNames, type KeyNames } from '../../shown/key-names.ts';
import { CapSubject, Spent } from '../caps/cap-facts.tsx';
import { alertsQuery } from './alerts-asks.ts';
import { ThresholdForm } from './threshold-form.tsx';

type Alert = Shown<'Alert'>;
type Cap = Shown<'Cap'>;
type Open = (to: PathSearch) => void;
/** Thresholds with their cap; undefined while caps are not loaded. */
type Row = Alert & { readonly of: Cap | undefined };

export function ThresholdsPanel({ search, open }: { readonly search: PathSearch; readonly open: Open }) {
  const may = useMay('admin');
  const names = useKeyNames();
  const alerts = useQuery(alertsQuery);
  const caps = useQuery(capsQuery);
  const shownColumns = useMemo(() => columns(names, open), [names]);
  const add = may ? (
    <Button variant="default" leftSection={<Plus size={16} aria-hidden />} onClick={() => open({ new: 'threshold' })}>
      New thresholds
    </Button>
  ) : null;
  const edited = search.new === 'threshold' ? alerts.data?.data.find(({ cap }) => cap === search.tab) : undefined;
  return (
    <Panel flush title="Thresholds of caps" actions={alerts.data?.data.length === 0 ? null : add}>
      <Loaded of={alerts} height={180}>
        {({ data }) =>
          data.length === 0 ? (
            <Nothing icon={BellRing} title="No threshold yet" action={add}>
              A cap tells nobody on its way to the limit unless it has thresholds, such as 50, 80 and 100 percent.
            </Nothing>
          ) : (
            <DataTable<Row>
              caption="Thresholds of caps"
              rows={data.map((alert) => ({ ...alert, of: caps.data?.data.find(({ id }) => id === alert.cap) }))}
              rowId={(row) => row.id}
              columns={shownColumns}
              minWidth={760}
            />
          )
        }
      </Loaded>
      <Modal
        opened={may && search.new === 'threshold'}
        onClose={() => open({})}
        title={edited === undefined ? 'New thresholds' : 'Change the thresholds'}>
        <Loaded of={caps}>
          {({ data }) => <ThresholdForm key={edited?.id ?? 'new'} caps={data} edited={edited} names={names} onDone={() => open({})} />}
        </Loaded>
      </Modal>
    </Panel>
  );
}

function columns(names: KeyNames, open: Open): readonly Column<Row>[] {
  return [
    {
      id: 'cap',
      head: 'Cap of',
      cell: ({ of: cap }) =>
        cap === undefined ? (
          '…'
        ) : (
          <span>
            <CapSubject cap={cap} names={names} />, {cap.window}
          </span>
        ),
    },
    {
      id: 'at',
      head: 'Percent of the limit',
      cell: ({ at }) => (
        <Group gap={4}>
          {at.map((percent) => (
            <Badge key={percent} variant="default" tt="none" fw={550}>
              {percent}%
            </Badge>
          ))}
        </Group>
      ),
    },
    { id: 'spent', head: 'Spent of limit', cell: ({ of: cap }) => (cap === undefined ? '…' : <Spent of={cap} />) },
    { id: 'actions', head: '', right: true, cell: (row) => <ThresholdActions of={row} open={open} /> },
  ];
}

function ThresholdActions({ of: { id, cap }, open }: { readonly of: Alert; readonly open: Open }) {
  const may = useMay('admin');
  const removing = useDoing({
    run: () => ask.DELETE('/platform/v1/alerts/{id}', { params: { path: { id } } }),
    done: 'The thresholds are removed. The cap stays.',
    changes: ['/platform/v1/alerts'],
  });
  if (!may) return null;
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <RowButton onClick={() => open({ new: 'threshold', tab: cap })}>Change</RowButton>
      <RowButton variant="subtle" color="red" c="var(--bad)" loading={removing.isPending} onClick={() => removing.mutate(undefined)}>
        Remove
      </RowButton>
    </Group>
  );
}
