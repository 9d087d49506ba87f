/** A provider's bill beside the records: the person gives the export as a file, and the page shows what differs and why. */
import { Button, FileInput, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { ask, type Shown } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Panel } from '../../parts/page.tsx';
import { Fault } from '../../parts/states.tsx';
import { wholeCount, wholeDollars } from '../../shown/amounts.ts';
import { Moment } from '../../shown/figures.tsx';
import { billText } from './bill-text.ts';
import { isBehindUpstream, reasonWords, sellerNames, verdictWords, type Line, type ChosenSeller } from './bill-words.ts';

type Compared = Shown<'Reconciliation'>;

export function BillPanel() {
  const may = useMay('admin');
  const [seller, setSeller] = useState<ChosenSeller>('openai');
  const [upstream, setUpstream] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const named = isBehindUpstream(seller) && upstream.trim() !== '' ? { upstream: upstream.trim() } : {};
  const body = async () => ({ provider: seller, file: await billText(file!), ...named });
  const comparing = useDoing({
    run: async () => (await ask.POST('/platform/v1/reconciliations', { body: await body() })).data!,
    changes: [],
    quiet: true,
  });
  const recording = useDoing({
    run: async () => (await ask.POST('/platform/v1/corrections', { body: await body() })).data!,
    done: ({ total, days }) => `${wholeDollars(total)} of corrections are recorded, from ${days.first} to ${days.last}.`,
    changes: ['/platform/v1/months', '/platform/v1/corrections', '/platform/v1/usage'],
  });
  const mayRecord = may && !isBehindUpstream(seller);
  const chosen = (change: () => void): void => {
    change();
    comparing.reset();
  };
  return (
    <Panel title="A provider's bill" about="Compare a usage or cost export of a provider with the records. Comparing changes nothing.">
      <Stack gap="sm">
        <Group gap="xs" align="flex-end">
          <NativeSelect
            label="Whose export"
            value={seller}
            onChange={({ currentTarget: { value } }) => chosen(() => setSeller(value as ChosenSeller))}
            data={Object.entries(sellerNames).map(([value, label]) => ({ value, label }))}
          />
          {isBehindUpstream(seller) ? (
            <TextInput
              label="Upstream, if it has a name"
              value={upstream}
              maxLength={32}
              w={200}
              onChange={({ currentTarget: { value } }) => chosen(() => setUpstream(value))}
            />
          ) : null}
          <FileInput
            label="File, JSON or CSV"
            placeholder="Choose the export…"
            w={260}
            clearable
            clearButtonProps={{ 'aria-label': 'Without the file' }}
            value={file}
            leftSection={<FileUp size={16} aria-hidden />}
            onChange={(value) => chosen(() => setFile(value))}
          />
          <Button variant="default" disabled={file === null} loading={comparing.isPending} onClick={() => comparing.mutate(undefined)}>
            Compare
          </Button>
        </Group>
        {comparing.error === null ? null : <Fault fault={comparing.error} />}
        {comparing.data === undefined ? null : <Difference of={comparing.data} />}
        {comparing.data === undefined || comparing.data.equal || comparing.data.totals.theirs.cost === null || !mayRecord ? null : (
          <Group gap="xs">
            <Button variant="default" loading={recording.isPending} onClick={() => recording.mutate(undefined)}>
              Record the differences as corrections
            </Button>
            <Text size="xs" c="dimmed">
              Records stay as they are. Corrections of the same provider and days are replaced.
            </Text>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

function Difference({ of: { lines, totals, equal, recordsGoneBefore, otherCurrency } }: { readonly of: Compared }) {
  const differing = lines.filter(({ verdict }) => verdict !== 'equal');
  return (
    <Stack gap="xs">
      <Text size="sm" role="status" fw={550}>
        {equal
          ? `All ${wholeCount(lines.length)} lines are equal.`
          : `${wholeCount(differing.length)} of ${wholeCount(lines.length)} lines differ${byCost(totals)}.`}
      </Text>
      {otherCurrency === null ? null : <Text size="sm" className="warn">Its amounts are in {otherCurrency} and are not compared.</Text>}
      {recordsGoneBefore === null ? null : (
        <Text size="sm" className="warn">
          Records before <Moment at={recordsGoneBefore} /> were removed for their age.
        </Text>
      )}
      {differing.length === 0 ? null : (
        <DataTable<Line>
          caption="Lines that differ"
          rows={differing}
          rowId={(line) => JSON.stringify([line.day, line.model, line.item, line.billName, line.requestId])}
          columns={columns}
          minWidth={820}
        />
      )}
    </Stack>
  );
}

function byCost({ ours, theirs }: Compared['totals']): string {
  if (theirs.cost === null) return '';
  return `: ${wholeDollars(theirs.cost)} on the bill, ${ours.cost === null ? 'nothing' : wholeDollars(ours.cost)} here`;
}

const columns: readonly Column<Line>[] = [
  { id: 'day', card: 'under', head: 'Day of the bill', sortBy: ({ day }) => day, cell: ({ day }) => day },
  {
    id: 'of',
    card: 'lead',
    head: 'Model or item',
    sortBy: (line) => line.model ?? line.item ?? '',
    cell: (line) => <span className="wrap">{line.model ?? line.item ?? line.billName ?? line.requestId ?? 'the day'}</span>,
  },
  {
    id: 'difference',
    card: 'money',
    head: 'Here, more than billed',
    right: true,
    sortBy: ({ difference }) => Number(difference.cost ?? 0),
    cell: ({ difference }) => (difference.cost === null ? '–' : wholeDollars(difference.cost)),
  },
  { id: 'ours', head: 'Here', right: true, cell: ({ ours }) => sideOf(ours) },
  { id: 'theirs', head: 'On the bill', right: true, cell: ({ theirs }) => sideOf(theirs) },
  {
    id: 'why',
    head: 'What it means',
    cell: ({ verdict, reasons }) => (
      <>
        {verdictWords[verdict]}
        {reasons.map((reason) => (
          <div key={reason} className="dim small">
            {reasonWords[reason]}
          </div>
        ))}
      </>
    ),
  },
];

function sideOf({ calls, inputTokens, outputTokens, cost }: Line['ours']) {
  const tokens = inputTokens === null && outputTokens === null ? null : wholeCount((inputTokens ?? 0) + (outputTokens ?? 0));
  const counts = [calls === null ? null : `${wholeCount(calls)} ${calls === 1 ? 'call' : 'calls'}`, tokens === null ? null : `${tokens} tokens`];
  return (
    <>
      {cost === null ? '–' : wholeDollars(cost)}
      <div className="dim small">{counts.filter((each) => each !== null).join(', ')}</div>
    </>
  );
}
