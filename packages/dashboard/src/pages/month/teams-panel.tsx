/** What each team pays of a month, by the rules of allocation, with its statement and the ledger for accounting. */
import { Button, Group, Menu, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { PageAmounts } from '@metergate/core/books/allocation/page-amounts.ts';
import { ask, Refused, type Shown } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useDoing } from '../../parts/doing.ts';
import { onDemand } from '../../parts/on-demand.tsx';
import { Panel } from '../../parts/page.tsx';
import { Coming, Loaded } from '../../parts/states.tsx';
import { OfIncompleteCost } from '../../parts/usage-cost.tsx';
import { nanoOf } from '../../shown/amounts.ts';
import { Count } from '../../shown/figures.tsx';
import { incompleteIn } from '../../shown/incomplete-cost.ts';
import { allocationQuery, allocationRulesQuery } from './month-asks.ts';

const AllocationForm = onDemand(async () => (await import('./allocation-form.tsx')).AllocationForm);

type Allocation = Shown<'Allocation'>;
type Team = Allocation['teams'][number];

export function TeamsPanel({ month, closed }: { readonly month: string; readonly closed: boolean }) {
  const rules = useQuery(allocationRulesQuery);
  // A closed month keeps the rules that it was closed with, whatever holds now.
  const asked = closed || (rules.data?.allocation ?? null) !== null;
  const allocation = useQuery({ ...allocationQuery(month), enabled: asked });
  const none = rules.data !== undefined && (!asked || (allocation.error instanceof Refused && allocation.error.code === 'no_allocation'));
  return (
    <Panel
      flush
      title="Teams"
      about="What each team pays, by the organization's rules of allocation"
      actions={
        <Group gap="xs">
          {rules.data === undefined ? null : <RulesButtons of={rules.data} month={month} />}
          {allocation.data === undefined ? null : <Files month={month} />}
        </Group>
      }>
      {none ? (
        <Text size="sm" c="dimmed" px="md" py="sm">
          {closed ? 'The month was closed without rules of allocation.' : 'No rules of allocation yet, so no team pays.'}
        </Text>
      ) : (
        <Loaded of={asked || rules.error === null ? allocation : { ...rules, data: undefined }} height={200}>
          {(data) => <Teams of={data} month={month} />}
        </Loaded>
      )}
    </Panel>
  );
}

/** For admins: the rules of all months that are not closed. */
function RulesButtons({ of: rules, month }: { readonly of: Shown<'AllocationRules'>; readonly month: string }) {
  const admin = useMay('admin');
  const [opened, form] = useDisclosure(false);
  const removal = useQuestion();
  const removing = useDoing({
    run: () => ask.DELETE('/platform/v1/allocation'),
    done: 'The rules are removed. Closed months keep theirs.',
    changes: ['/platform/v1/allocation', '/platform/v1/months', '/platform/v1/audit'],
    after: removal.close,
  });
  if (!admin) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={form.open} onPointerEnter={() => void AllocationForm.ahead().catch(() => undefined)}>
        {rules.allocation === null ? 'Set the rules' : 'Change the rules'}
      </Button>
      {rules.allocation === null ? null : (
        <Button size="xs" variant="subtle" color="red" c="var(--bad)" onClick={removal.open}>
          Remove the rules…
        </Button>
      )}
      <Modal opened={opened} onClose={form.close} title="Rules of allocation" size="xl">
        <AllocationForm waiting={<Coming height={320} />} of={rules} month={month} onDone={form.close} />
      </Modal>
      <Confirm of={removal} title="Remove the rules of allocation?" act="Remove" doing={removing}>
        No team pays for a month that is not closed. Closed months keep the rules that they were closed with.
      </Confirm>
    </>
  );
}

function Files({ month }: { readonly month: string }) {
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" component="a" download href={`/platform/v1/statements?by=team&month=${month}`}>
        Statement by team
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<Download size={14} aria-hidden />}>
            Ledger as CSV
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={`/platform/v1/months/${month}/ledger?bom=true`} download>
            Decimal points, commas between
          </Menu.Item>
          <Menu.Item component="a" href={`/platform/v1/months/${month}/ledger?bom=true&decimalComma=true`} download>
            Decimal commas, semicolons between
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function Teams({ of: allocation, month }: { readonly of: Allocation; readonly month: string }) {
  const columns = useMemo(() => columnsFor(allocation, month), [allocation, month]);
  if (allocation.teams.length === 0) return <Text size="sm" c="dimmed" p="md">No call in this month.</Text>;
  return <DataTable<Team> caption="Teams" rows={allocation.teams} rowId={({ team }) => JSON.stringify(team)} columns={columns} minWidth={760} />;
}

type Amount = 'charge' | 'converted' | 'splitCost' | 'correction' | 'late' | 'markup';

/** Amounts are written as on a statement: rounded together, if at all. Columns that are zero for every team are left out. */
function columnsFor({ teams, totals, currency }: Allocation, month: string): readonly Column<Team>[] {
  const dollars = new PageAmounts(nanoOf(totals.charge));
  const amount = (id: Amount, head: string, [sign, amounts]: readonly [string, PageAmounts] = ['$', dollars]): Column<Team>[] => {
    if (teams.every((row) => Number(row[id] ?? 0) === 0)) return [];
    const units = amounts.together(teams.map((row) => nanoOf(row[id] ?? '0.000000000')));
    const texts = new Map(teams.map((row, at) => [row, sign + amounts.text(units[at]!)]));
    const foot = sign + amounts.text(units.reduce((sum, each) => sum + each, 0n));
    return [{ id, head, right: true, sortBy: (row) => Number(row[id] ?? 0), cell: (row) => <span className="nowrap">{texts.get(row)}</span>, foot }];
  };
  return [
    {
      id: 'team',
      card: 'lead',
      head: 'Team',
      sortBy: ({ team }) => team ?? '',
      cell: ({ team, account, costCentre }) => (
        <>
          <a className="wrap strong" href={statementOf(month, team)} download>
            {team ?? 'unallocated'}
          </a>
          <div className="dim small">{[account, costCentre].filter((each) => each !== null).join(', ')}</div>
        </>
      ),
      foot: 'All teams',
    },
    ...amount('charge', 'Pays').map((column) => ({ ...column, card: 'money' as const })),
    ...(currency === null ? [] : amount('converted', `Pays, ${currency.code}`, ['', new PageAmounts(nanoOf(totals.converted ?? '0.000000000'))])),
    {
      id: 'calls',
      head: 'Calls',
      right: true,
      sortBy: ({ calls }) => calls,
      cell: (row) => <><Count of={row.calls} /><OfIncompleteCost of={incompleteIn([row])} /></>,
      foot: <Count of={totals.calls} />,
    },
    ...amount('splitCost', 'Of shared keys'),
    ...amount('correction', 'By bills'),
    ...amount('late', 'Came late'),
    ...amount('markup', 'Markup'),
  ];
}

function statementOf(month: string, team: string | null): string {
  return `/platform/v1/statements?${new URLSearchParams(team === null ? { by: 'team', month } : { by: 'team', month, team })}`;
}
