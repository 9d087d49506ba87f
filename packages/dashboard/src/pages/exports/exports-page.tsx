/** The calls of a period as a file that is generated while it is sent, and the number of calls in it. */
import { Button, Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import type { Shown } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import type { ExportsSearch } from '../../app/page-search.ts';
import { Page, Panel } from '../../parts/page.tsx';
import { RangePicker } from '../../parts/range-picker.tsx';
import { RecordsGone } from '../../parts/records-gone.tsx';
import { CostIncomplete } from '../../parts/usage-cost.tsx';
import { Loaded } from '../../parts/states.tsx';
import { sumDollars } from '../../shown/amounts.ts';
import { Count, Money, Moment } from '../../shown/figures.tsx';
import { incompleteIn } from '../../shown/incomplete-cost.ts';
import { isoOf, type Range } from '../../shown/ranges.ts';
import { exportsRange, wholeQuery } from './exports-asks.ts';

const route = getRouteApi('/shell/exports');

const formats = [
  { value: 'csv', label: 'CSV', about: 'A line for each call, every field. Safe to open in a spreadsheet.' },
  { value: 'parquet', label: 'Parquet', about: 'The same for DuckDB, pandas, BigQuery and similar tools.' },
  { value: 'jsonl', label: 'JSON Lines', about: 'The same records as the API shows them.' },
  { value: 'focus', label: 'FOCUS 1.2', about: 'Costs by day, key, project, labels and kind of token, as FinOps tools read them.' },
  { value: 'receipts', label: 'Receipts', about: 'The signed chain of these calls, for anyone who wants to verify them.' },
] as const;
type Exported = NonNullable<paths['/platform/v1/exports']['get']['parameters']['query']['format']>;
/** Fails to compile if a format that the platform knows has no words here. */
export type UnlistedFormats = MustBeNever<Exclude<Exported, (typeof formats)[number]['value']>>;
type MustBeNever<Nothing extends never> = Nothing;

export function ExportsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: Partial<ExportsSearch>): void =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  const range = useMemo(() => exportsRange(search), [search.range, search.since, search.until]);
  const format = formats.find(({ value }) => value === search.format) ?? formats[0];
  return (
    <Page title="Exports" about="All calls of a time range as a file of any size. Totals equal those of the reports.">
      <RecordsGone sinceMs={range.sinceMs} />
      <Panel title="What it holds" actions={<RangePicker range={range} onChange={set} />}>
        <Whole range={range} />
      </Panel>
      <Panel title="File format">
        <Radio.Group aria-label="The form of the file" value={format.value} onChange={(value) => set({ format: value })}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {formats.map(({ value, label, about }) => (
              <Radio key={value} value={value} label={label} description={about} />
            ))}
          </SimpleGrid>
        </Radio.Group>
        <Group mt="lg">
          <Button component="a" href={addressOf(format.value, range)} download leftSection={<Download size={16} aria-hidden />}>
            Save the {format.label} file
          </Button>
          <Text size="sm" c="dimmed">
            On the command line: <span className="mono">metergate {format.value === 'receipts' ? 'receipts export' : 'export'}</span>
          </Text>
        </Group>
      </Panel>
    </Page>
  );
}

function addressOf(format: string, range: Range): string {
  const { since, until } = isoOf(range);
  const time = new URLSearchParams({ from: since, to: until });
  if (format === 'receipts') return `/platform/v1/receipts?${time}`;
  time.set('format', format);
  return `/platform/v1/exports?${time}`;
}

function Whole({ range }: { readonly range: Range }) {
  const usage = useQuery(wholeQuery(range));
  return (
    <Loaded of={usage} height={60}>
      {({ data }) => (
        <Stack gap={2}>
          <Text fw={600} component="div">
            <Count of={summed(data, ({ calls }) => calls)} /> {summed(data, ({ calls }) => calls) === 1 ? 'call' : 'calls'},{' '}
            <Money amount={sumDollars(data.map(({ cost }) => cost))} />
          </Text>
          <CostIncomplete of={incompleteIn(data)} />
          <Text size="sm" c="dimmed" component="div">
            From <Moment at={new Date(range.sinceMs).toISOString()} /> to <Moment at={new Date(range.untilMs).toISOString()} />, end
            excluded
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}

function summed(rows: readonly Shown<'Usage'>[], figure: (row: Shown<'Usage'>) => number): number {
  return rows.reduce((sum, row) => sum + figure(row), 0);
}
