/** Runs: agent work under one id, with a budget and a time limit. Live and ended ones, and grants for more. */
import { Button, Drawer, Modal, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ListTree, Ticket } from 'lucide-react';
import { useMay } from '../../app/session.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Older, useLongList } from '../../parts/long-list.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { Money, Moment } from '../../shown/figures.tsx';
import { ExposurePanel } from './exposure-panel.tsx';
import { GrantForm } from './grant-form.tsx';
import { RunSheet } from './run-sheet.tsx';
import { Budget, RunBadge, type ListedRun } from './run-state.tsx';
import { runsQuery } from './runs-asks.ts';

const route = getRouteApi('/shell/runs');

export function RunsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay('admin');
  const { list: runs, rows } = useLongList(runsQuery);
  const open = (to: { run?: string; new?: string }): void => void navigate({ search: to, replace: true, resetScroll: false });
  return (
    <Page
      title="Runs"
      about="Calls under one run id, with a budget and a time limit that the run's first call names."
      actions={
        may ? (
          <Button variant="default" leftSection={<Ticket size={16} aria-hidden />} onClick={() => open({ new: 'grant' })}>
            Mint a grant
          </Button>
        ) : null
      }>
      <ExposurePanel live={rows.filter(({ state }) => state === 'live')} whole={runs.hasNextPage === false} />
      <Panel flush>
        <Loaded of={runs} height={360}>
          {() =>
            rows.length === 0 ? (
              <Nothing icon={ListTree} title="No run yet">
                A call begins one by sending <span className="mono">x-svc-run-id</span>, and perhaps{' '}
                <span className="mono">x-svc-run-budget: 2.50</span> and <span className="mono">x-svc-run-ttl: 3600</span>.
              </Nothing>
            ) : (
              <DataTable<ListedRun>
                caption="Runs"
                rows={rows}
                rowId={(run) => run.id}
                columns={columns}
                minWidth={820}
                onOpen={(run) => open({ run: run.id })}
              />
            )
          }
        </Loaded>
        <Older of={runs}>Older runs</Older>
      </Panel>
      <Drawer opened={search.run !== undefined} onClose={() => open({})} position="right" size="lg" title="Run">
        {search.run === undefined ? null : <RunSheet id={search.run} />}
      </Drawer>
      <Modal opened={may && search.new === 'grant'} onClose={() => open({})} title="Mint a run grant" size="lg">
        <GrantForm />
      </Modal>
    </Page>
  );
}

const columns: readonly Column<ListedRun>[] = [
  {
    id: 'run',
    head: 'Run',
    sortBy: (run) => run.id,
    cell: (run) => (
      <Text span inherit fw={550} className="mono wrap">
        {run.id}
      </Text>
    ),
  },
  { id: 'state', card: 'state', head: 'State', sortBy: (run) => run.state, cell: (run) => <RunBadge of={run} /> },
  { id: 'spent', card: 'money', head: 'Spent', right: true, sortBy: (run) => Number(run.spent), cell: (run) => <Money amount={run.spent} /> },
  { id: 'budget', card: 'wide', head: 'Budget', sortBy: (run) => Number(run.effective ?? Infinity), cell: (run) => <Budget of={run} /> },
  { id: 'began', card: 'under', head: 'Began', sortBy: (run) => run.startedAt, cell: (run) => <Moment at={run.startedAt} relative /> },
  { id: 'ends', head: 'Ends', cell: (run) => <Moment at={run.endedAt ?? run.expiresAt} none="no time limit" relative /> },
];
