/** The cost of a month, by project, model and key: to read, to print, and as the file that finance keeps. */
import { Autocomplete, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Download, Printer } from 'lucide-react';
import { PageAmounts } from '@metergate/core/books/allocation/page-amounts.ts';
import type { StatementSearch } from '../../app/page-search.ts';
import { useSession } from '../../app/session.ts';
import { MonthPicker } from '../../parts/month-picker.tsx';
import { FocalAmount } from '../../parts/focal-amount.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { RecordsGone } from '../../parts/records-gone.tsx';
import { CostIncomplete } from '../../parts/usage-cost.tsx';
import { Loaded } from '../../parts/states.tsx';
import { nanoOf, sumDollars, wholeCount, wholeDollars } from '../../shown/amounts.ts';
import { incompleteIn } from '../../shown/incomplete-cost.ts';
import { useKeyNames } from '../../shown/key-names.ts';
import { monthBefore, monthTitle } from '../../shown/months.ts';
import { statementIn, statementQueries, type StatementOf } from './statement-asks.ts';
import { StatementTable, type Row } from './statement-table.tsx';

const route = getRouteApi('/shell/statement');

export function StatementPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { organization } = useSession();
  const names = useKeyNames();
  const set = (change: Partial<StatementSearch>): void => void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const of = statementIn(search);
  const { month } = of;
  const asked = statementQueries(of);
  const [projects, before, models, keys] = [useQuery(asked.projects), useQuery(asked.before), useQuery(asked.models), useQuery(asked.keys)];
  const amounts = new PageAmounts(nanoOf(sumDollars((projects.data?.data ?? []).map(({ cost }) => cost))));
  return (
    <Page
      title="Statement"
      about={`${monthTitle(month)} of ${organization.name}${search.project === undefined ? '' : `, project ${search.project}`}, in UTC`}
      actions={<Actions of={of} set={set} />}>
      <RecordsGone sinceMs={Date.parse(`${month}-01`)} />
      <Panel>
        <Loaded of={projects} height={90}>
          {({ data, version }) => <Total of={of} rows={data} version={version} before={before.data?.data} amounts={amounts} />}
        </Loaded>
      </Panel>
      <Panel title="By project" flush>
        <Loaded of={projects} height={160}>
          {({ data }) => <StatementTable of="Project" rows={data} amounts={amounts} name={(row) => row.project ?? 'without a project'} />}
        </Loaded>
      </Panel>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Panel title="By model" flush>
          <Loaded of={models} height={160}>
            {({ data }) => <StatementTable of="Model" rows={data} amounts={amounts} name={(row) => row.model ?? 'without a model'} />}
          </Loaded>
        </Panel>
        <Panel title="By service key" flush>
          <Loaded of={keys} height={160}>
            {({ data }) => (
              <StatementTable of="Service key" rows={data} amounts={amounts} name={(row) => names.get(row.key ?? '') ?? row.key ?? '–'} />
            )}
          </Loaded>
        </Panel>
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        A cost is unknown or incomplete if the call reported no usage or only part of it, has no price, or used something that has no price. Such a
        call may have cost more than is counted here.
        {amounts.isRounded ? ' Amounts are rounded to cents that add up; the file has every digit of the total.' : ''}
      </Text>
    </Page>
  );
}

function Actions({ of, set }: { readonly of: StatementOf; readonly set: (change: Partial<StatementSearch>) => void }) {
  const all = useQuery(statementQueries(of).all);
  return (
    <>
      <MonthPicker month={of.month} onChange={(month) => set({ month })} />
      <Autocomplete
        size="xs"
        aria-label="Project"
        placeholder="Every project"
        w={170}
        data={all.data?.data.flatMap(({ project }) => project ?? []) ?? []}
        limit={50}
        defaultValue={of.project ?? ''}
        maxLength={256}
        onChange={(project) => set({ project: project.trim() === '' ? undefined : project.trim() })}
      />
      <Button variant="default" leftSection={<Printer size={16} aria-hidden />} onClick={() => globalThis.print()}>
        Print
      </Button>
      <Button
        component="a"
        href={`/platform/v1/statements?${new URLSearchParams({ ...of })}`}
        download
        leftSection={<Download size={16} aria-hidden />}>
        Save the statement
      </Button>
    </>
  );
}

interface TotalProps {
  readonly of: StatementOf;
  readonly rows: readonly Row[];
  /** The closing whose figures they are; null: the month is not closed. */
  readonly version: number | null;
  /** Of the month before, once it is there. */
  readonly before: readonly Row[] | undefined;
  readonly amounts: PageAmounts;
}

/** The one figure of the page, with the month before beside it. */
function Total({ of, rows, version, before, amounts }: TotalProps) {
  const cost = sumDollars(rows.map((row) => row.cost));
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  const earlier = monthBefore(of.month);
  return (
    <Stack gap={4}>
      <Group gap="sm" align="baseline">
        <FocalAmount of={`$${amounts.alone(nanoOf(cost))}`} />
        {amounts.isRounded ? (
          <Text size="sm" c="dimmed">
            exactly {wholeDollars(cost)}
          </Text>
        ) : null}
      </Group>
      <Text size="sm" c="dimmed">
        {wholeCount(calls)} {calls === 1 ? 'call' : 'calls'}
        {before === undefined ? null : (
          <>
            ; ${amounts.alone(nanoOf(sumDollars(before.map((row) => row.cost))))} in{' '}
            <Link to="/statement" search={{ ...of, month: earlier }}>
              {monthTitle(earlier)}
            </Link>
          </>
        )}
      </Text>
      {version === null ? null : (
        <Text size="sm" c="dimmed">
          As it was closed, version {version}.{' '}
          <Link to="/month" search={{ month: of.month }}>
            What bills add, and what came late
          </Link>
        </Text>
      )}
      <CostIncomplete of={incompleteIn(rows)} />
    </Stack>
  );
}
