/** The Baseline's report. Every figure carries its label: reported, modeled or declared. */
import { Group, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/page.tsx';
import { percent, shortMs } from '../../shown/amounts.ts';
import { Count, Money } from '../../shown/figures.tsx';
import type { ListedBaseline } from './baseline-state.tsx';
import { DeclaredFigures } from './declared-figures.tsx';
import { LabelBadge, type Label } from './label-badge.tsx';

type Report = ListedBaseline['report'];
type Figures = Report['total'];

export function BaselineReport({ baseline: { report, id } }: { readonly baseline: ListedBaseline }) {
  const { total } = report;
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure name="Cost" label="modeled" note={`Price list ${report.priceList}`}>
          <Money amount={total.cost.value} none="no price" />
        </Figure>
        <Figure name="Calls" label="reported" note={total.unpricedCalls.value === 0 ? ' ' : `${total.unpricedCalls.value} without a price`}>
          <Count of={total.calls.value} />
        </Figure>
        <Figure
          name="Tokens in / out"
          label="reported"
          note={`${percent(total.cachedTokens.value, total.inputTokens.value)} of the input cached`}>
          <Count of={total.inputTokens.value} /> / <Count of={total.outputTokens.value} />
        </Figure>
        <Figure
          name="Failed calls"
          label="reported"
          note={`${total.rateLimited.value} rate limited, ${total.serverErrors.value} server errors`}>
          {percent(total.failures.value, total.calls.value)}
        </Figure>
        <Figure name="Latency p50" label="reported" note=" ">
          {latency(total.latencyMs.p50.value)}
        </Figure>
        <Figure name="Latency p95" label="reported" note={`p99 ${latency(total.latencyMs.p99.value)}`}>
          {latency(total.latencyMs.p95.value)}
        </Figure>
        <Figure name="Tool calls" label="reported" note=" ">
          <Count of={total.toolCalls.value} />
        </Figure>
        <Figure name="No answer" label="reported" note="calls that got no response">
          <Count of={total.noResponse.value} />
        </Figure>
      </SimpleGrid>
      <Panel flush title="By model" actions={<Labels />}>
        <DataTable
          caption="By model"
          rows={report.byModel}
          rowId={(row) => JSON.stringify([row.provider, row.model])}
          minWidth={720}
          columns={[
            {
              id: 'model',
              head: 'Model',
              sortBy: (row) => row.model,
              cell: (row) => (
                <span className="wrap">
                  {row.model}{' '}
                  <Text span size="xs" c="dimmed">
                    {row.provider}
                  </Text>
                </span>
              ),
            },
            ...figureColumns<Report['byModel'][number]>(),
          ]}
        />
      </Panel>
      <Panel
        flush
        title="By unit"
        about={report.tagsOmitted === 0 ? 'The tag that each wrapped client names' : `${report.tagsOmitted} smaller units are not shown`}
        actions={<Labels />}>
        <DataTable
          caption="By unit"
          rows={report.byTag}
          rowId={(row) => row.tag}
          minWidth={720}
          columns={[
            { id: 'tag', head: 'Unit', sortBy: (row) => row.tag, cell: (row) => <span className="wrap">{row.tag}</span> },
            ...figureColumns<Report['byTag'][number]>(),
          ]}
        />
      </Panel>
      <Panel flush title="By day" actions={<Labels />}>
        <DataTable
          caption="By day"
          rows={report.byDay}
          rowId={(row) => row.day}
          minWidth={720}
          columns={[
            { id: 'day', head: 'Day (UTC)', sortBy: (row) => row.day, cell: (row) => row.day },
            ...figureColumns<Report['byDay'][number]>(),
          ]}
        />
      </Panel>
      <DeclaredFigures id={id} declared={report.declared} />
    </>
  );
}

function latency(ms: number | null): string {
  return ms === null ? '–' : shortMs(ms);
}

function Labels() {
  return (
    <Group gap={4}>
      <Text size="xs" c="dimmed">
        counts
      </Text>
      <LabelBadge label="reported" />
      <Text size="xs" c="dimmed">
        cost
      </Text>
      <LabelBadge label="modeled" />
    </Group>
  );
}

function Figure({
  name,
  label,
  note,
  children,
}: {
  readonly name: string;
  readonly label: Label;
  readonly note: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="panel" style={{ padding: '0.8rem 1rem' }}>
      <Group justify="space-between" gap={4}>
        <Text size="xs" c="dimmed">
          {name}
        </Text>
        <LabelBadge label={label} />
      </Group>
      <Text fz={{ base: 'lg', xs: 'xl' }} fw={650} component="div" className="figure">
        {children}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </div>
  );
}

function figureColumns<Row extends Figures>(): readonly Column<Row>[] {
  return [
    { id: 'calls', head: 'Calls', right: true, sortBy: (row) => row.calls.value, cell: (row) => <Count of={row.calls.value} /> },
    {
      id: 'input',
      head: 'Input',
      right: true,
      sortBy: (row) => row.inputTokens.value,
      cell: (row) => <Count of={row.inputTokens.value} />,
    },
    {
      id: 'cached',
      head: 'Cached',
      right: true,
      sortBy: (row) => row.cachedTokens.value,
      cell: (row) => <Count of={row.cachedTokens.value} />,
    },
    {
      id: 'output',
      head: 'Output',
      right: true,
      sortBy: (row) => row.outputTokens.value,
      cell: (row) => <Count of={row.outputTokens.value} />,
    },
    { id: 'failed', head: 'Failed', right: true, sortBy: (row) => row.failures.value, cell: (row) => <Count of={row.failures.value} /> },
    { id: 'p95', head: 'p95', right: true, sortBy: (row) => row.latencyMs.p95.value ?? 0, cell: (row) => latency(row.latencyMs.p95.value) },
    {
      id: 'cost',
      head: 'Cost',
      right: true,
      sortBy: (row) => Number(row.cost.value ?? 0),
      cell: (row) => <Money amount={row.cost.value} none="no price" />,
    },
  ];
}
