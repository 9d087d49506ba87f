/** The cost of a month, by project, model and key: to read, to print, and as the file that finance keeps. */
import '@mantine/dates/styles.layer.css';
import { Autocomplete, Button, SimpleGrid, Table, Text } from '@mantine/core';
import { MonthPickerInput } from '@mantine/dates';
import { getRouteApi } from '@tanstack/react-router';
import { Download, Printer } from 'lucide-react';
import { api, type Shown } from '../../api/client.ts';
import type { StatementSearch } from '../../app/page-search.ts';
import { useSession } from '../../app/session.ts';
import { Page, Panel } from '../../parts/page.tsx';
import { RecordsGone } from '../../parts/records-gone.tsx';
import { OfIncompleteCost, UsageCost } from '../../parts/usage-cost.tsx';
import { Loaded } from '../../parts/states.tsx';
import { sumDollars, wholeCount, wholeDollars } from '../../shown/amounts.ts';
import { incompleteIn } from '../../shown/incomplete-cost.ts';
import { useKeyNames } from '../../shown/key-names.ts';

const route = getRouteApi('/shell/statement');

type By = 'project' | 'model' | 'key';
type Row = Shown<'Usage'>;

export function StatementPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { organization } = useSession();
  const names = useKeyNames();
  const set = (change: Partial<StatementSearch>): void => void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const month = search.month ?? lastMonth(new Date());
  const projects = api.useQuery(
    'get',
    '/platform/v1/usage',
    { params: { query: { by: 'project' } } },
    { select: ({ data }) => data.flatMap(({ project }) => project ?? []) },
  );
  const of = { month, ...(search.project === undefined ? {} : { project: search.project }) };
  return (
    <Page
      title="Statement"
      about={`${monthName(month)} of ${organization.name}${search.project === undefined ? '' : `, project ${search.project}`}, in UTC`}
      actions={
        <>
          <MonthPickerInput
            aria-label={`Month: ${monthName(month)}`}
            w={160}
            value={`${month}-01`}
            maxDate={new Date()}
            onChange={(value) => set({ month: value?.slice(0, 7) })}
          />
          <Autocomplete
            aria-label="Project"
            placeholder="Every project"
            w={170}
            data={projects.data ?? []}
            defaultValue={search.project ?? ''}
            maxLength={256}
            onChange={(project) => set({ project: project.trim() === '' ? undefined : project.trim() })}
          />
          <Button variant="default" leftSection={<Printer size={16} aria-hidden />} onClick={() => globalThis.print()}>
            Print
          </Button>
          <Button
            component="a"
            href={`/platform/v1/statements?${new URLSearchParams(of)}`}
            download
            leftSection={<Download size={16} aria-hidden />}>
            Save the statement
          </Button>
        </>
      }>
      <Text size="sm" c="dimmed">
        A cost is unknown or incomplete if the call reported no usage or only part of it, has no price, or used something that has no price. Such
        a call may have cost more than is counted here.
      </Text>
      <RecordsGone sinceMs={Date.parse(`${month}-01`)} />
      <Part of={of} by="project" title="By project" name={(row) => row.project ?? 'without a project'} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Part of={of} by="model" title="By model" name={(row) => row.model ?? 'without a model'} />
        <Part of={of} by="key" title="By service key" name={(row) => names.get(row.key ?? '') ?? row.key ?? '–'} />
      </SimpleGrid>
    </Page>
  );
}

function Part({
  of,
  by,
  title,
  name,
}: {
  readonly of: { readonly month: string; readonly project?: string };
  readonly by: By;
  readonly title: string;
  readonly name: (row: Row) => string;
}) {
  const usage = api.useQuery('get', '/platform/v1/usage', { params: { query: { by, limit: 1_000, ...of } } });
  return (
    <Panel title={title} flush>
      <Loaded of={usage} height={160}>
        {({ data, nextCursor }) => (
          <Table.ScrollContainer minWidth={300} type="native" tabIndex={0} role="region" aria-label={title}>
            <Table className="data-table" horizontalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{title.replace('By ', '').replace(/^./, (first) => first.toUpperCase())}</Table.Th>
                  <Table.Th className="right">Calls</Table.Th>
                  <Table.Th className="right">Cost</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map((row) => (
                  <Table.Tr key={row[by] ?? ''}>
                    <Table.Td className="wrap">{name(row)}</Table.Td>
                    <Table.Td className="right">
                      {wholeCount(row.calls)}
                      <OfIncompleteCost of={incompleteIn([row])} />
                    </Table.Td>
                    <Table.Td className="right">
                      <UsageCost of={row} digits="all" />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
              <Table.Tfoot>
                <Table.Tr>
                  <Table.Th>{nextCursor === null ? 'Total' : 'The first thousand'}</Table.Th>
                  <Table.Th className="right">
                    {wholeCount(data.reduce((sum, { calls }) => sum + calls, 0))}
                    <OfIncompleteCost of={incompleteIn(data)} />
                  </Table.Th>
                  <Table.Th className="right">{wholeDollars(sumDollars(data.map(({ cost }) => cost)))}</Table.Th>
                </Table.Tr>
              </Table.Tfoot>
            </Table>
            {data.length === 0 ? (
              <Text size="sm" c="dimmed" p="md">
                No call in this month.
              </Text>
            ) : null}
          </Table.ScrollContainer>
        )}
      </Loaded>
    </Panel>
  );
}

function lastMonth(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
}

function monthName(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}
