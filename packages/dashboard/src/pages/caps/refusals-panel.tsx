/** Refused calls of the last days: whose, why and how often. Calls with an unknown key belong to nobody and are not shown. */
import { Anchor, Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Shown } from '../../api/client.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { wholeCount } from '../../shown/amounts.ts';
import { refusalsCompared } from '../../shown/comparison.ts';
import { Count } from '../../shown/figures.tsx';
import { useKeyNames, type KeyNames } from '../../shown/key-names.ts';
import { ownMoment, shownHour } from '../../shown/moments.ts';
import { refusalWords } from '../../shown/refusal-words.ts';
import { refusedAtFirst, refusedQuery } from './caps-asks.ts';

type Row = Shown<'RefusalsOfKey'>;

const choices = [
  { value: '24h', label: 'Past 24 hours' },
  { value: '7d', label: 'Past 7 days' },
  { value: '30d', label: 'Past 30 days' },
];

export function RefusalsPanel() {
  const [days, setDays] = useState(refusedAtFirst);
  const names = useKeyNames();
  const asked = useMemo(() => refusedQuery(days), [days]);
  const refusals = useQuery({ ...asked, refetchInterval: 5_000 });
  const columns = useMemo(() => columnsOf(names), [names]);
  return (
    <Panel
      flush
      title="Refused calls"
      about="Nothing was forwarded, and nothing was spent. Counted by the hour."
      actions={
        <Group gap="xs">
          <Anchor component={Link} to="/refusals" size="xs">
            One by one
          </Anchor>
          <Select
            size="xs"
            w={150}
            aria-label="Refusals shown"
            allowDeselect={false}
            data={choices}
            value={days}
            onChange={(next) => setDays(next ?? refusedAtFirst)}
          />
        </Group>
      }>
      <Loaded of={refusals} height={180}>
        {(report) =>
          report.rows.length === 0 ? (
            <Nothing icon={ShieldCheck} title="No call was refused in this time">
              Calls that a cap, a run budget or a rate limit refuses are counted here, by key and reason.
            </Nothing>
          ) : (
            <>
              <Text size="sm" px="md" pt="sm">
                {wholeCount(report.total)} {report.total === 1 ? 'call' : 'calls'} refused
                <Text span c="dimmed" inherit>
                  {' '}
                  ({refusalsCompared(report)})
                </Text>
              </Text>
              <DataTable<Row> caption="Refused calls" rows={report.rows} rowId={rowId} columns={columns} minWidth={620} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

const rowId = ({ key, code, scope, window }: Row): string => JSON.stringify([key, code, scope, window]);

function columnsOf(names: KeyNames): readonly Column<Row>[] {
  const nameOf = ({ key }: Row): string => (key === null ? 'Many keys' : (names.get(key) ?? key));
  return [
    {
      id: 'who',
      head: 'Service key',
      sortBy: nameOf,
      cell: (row) =>
        row.key === null ? (
          <Text span inherit c="dimmed">
            Many keys
          </Text>
        ) : (
          <Link to="/keys" search={{ id: row.key }} className="plain wrap">
            {nameOf(row)}
          </Link>
        ),
    },
    { id: 'why', head: 'Why', sortBy: refusalWords, cell: (row) => <span title={row.code}>{refusalWords(row)}</span> },
    { id: 'times', head: 'How often', right: true, sortBy: ({ refusals }) => refusals, cell: ({ refusals }) => <Count of={refusals} /> },
    {
      id: 'last',
      head: 'Last in the hour of',
      right: true,
      sortBy: ({ lastHour }) => lastHour,
      cell: ({ lastHour }) => (
        <time className="nowrap" dateTime={lastHour} title={ownMoment(new Date(lastHour))}>
          {shownHour(Date.parse(lastHour))}
        </time>
      ),
    },
  ];
}
