/** Projects: what calls were for. Calls and keys just name a project, so there is nothing to create: the projects of a period are listed. */
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, type LinkProps } from '@tanstack/react-router';
import { FolderKanban } from 'lucide-react';
import { useMemo } from 'react';
import { capsQuery } from '../../api/asked-often.ts';
import type { Shown } from '../../api/client.ts';
import type { RangeSearch } from '../../app/page-search.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useNamedByRow } from '../../parts/named-by-row.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { RangeOnPaper, RangePicker } from '../../parts/range-picker.tsx';
import { RecordsGone } from '../../parts/records-gone.tsx';
import { OfIncompleteCost, UsageCost } from '../../parts/usage-cost.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { Count } from '../../shown/figures.tsx';
import { incompleteIn } from '../../shown/incomplete-cost.ts';
import { keysQuery } from '../../shown/key-names.ts';
import { isoOf } from '../../shown/ranges.ts';
import { Spent } from '../caps/cap-facts.tsx';
import { projectsQuery, projectsRange } from './projects-asks.ts';

type Cap = Shown<'Cap'>;
const route = getRouteApi('/shell/projects');

interface Project {
  /** Null: calls without a project. */
  readonly name: string | null;
  readonly calls: number;
  readonly cost: string;
  readonly unknownCalls: number;
  readonly unpricedCalls: number;
  readonly gapCalls: number;
  /** Keys whose calls count for the project unless they name another. */
  readonly keys: number;
  readonly caps: readonly Cap[];
}

export function ProjectsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: RangeSearch): void =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  const range = useMemo(() => projectsRange(search), [search.range, search.since, search.until]);
  const usage = useQuery(projectsQuery(range));
  const keys = useQuery(keysQuery);
  const caps = useQuery(capsQuery);
  const rows = useMemo(
    () => projectsOf(usage.data?.data ?? [], keys.data?.data ?? [], caps.data?.data ?? []),
    [usage.data, keys.data, caps.data],
  );
  const columns = useMemo(() => columnsFor(range.name === 'custom' ? isoOf(range) : { range: range.name }), [range]);
  return (
    <Page
      title="Projects"
      about="What calls were for: the word that a call names in x-svc-project, else its key's own."
      actions={<RangePicker range={range} onChange={set} />}>
      <RangeOnPaper range={range} />
      <RecordsGone sinceMs={range.sinceMs} />
      <Panel flush>
        <Loaded of={usage} height={260}>
          {() =>
            rows.length === 0 ? (
              <Nothing
                icon={FolderKanban}
                title="No project yet"
                action={
                  <Button component={Link} to="/keys" search={{ new: 'key' } as never} variant="default">
                    Make a key with a project
                  </Button>
                }>
                Give a service key a project, or send <span className="mono">x-svc-project: checkout</span> with a call.
              </Nothing>
            ) : (
              <DataTable<Project> caption="Projects" rows={rows} rowId={({ name }) => JSON.stringify(name)} columns={columns} minWidth={680} />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}

/** Projects with calls, and those that a key or a cap names, the costliest first. */
function projectsOf(
  used: readonly Shown<'Usage'>[],
  keys: readonly Shown<'ServiceKey'>[],
  caps: readonly Cap[],
): readonly Project[] {
  const named = [used, keys, caps].flatMap((rows) => rows.flatMap(({ project }) => project ?? []));
  // Including the calls without a project, so that rows add up to the whole.
  const names = new Set([...named, ...used.flatMap(({ project }) => (project === null || project === undefined ? [null] : []))]);
  return [...names]
    .map((name) => {
      const own = used.find(({ project }) => (project ?? null) === name);
      return {
        name,
        calls: own?.calls ?? 0,
        cost: own?.cost ?? '0.000000000',
        unknownCalls: own?.unknownCalls ?? 0,
        unpricedCalls: own?.unpricedCalls ?? 0,
        gapCalls: own?.gapCalls ?? 0,
        keys: keys.filter(({ project, revokedAt }) => project === name && name !== null && revokedAt === null).length,
        caps: caps.filter(({ project }) => name !== null && project === name),
      };
    })
    .toSorted((one, other) => Number(other.cost) - Number(one.cost) || (one.name ?? '').localeCompare(other.name ?? ''));
}

function Calls({ of: row }: { readonly of: Project }) {
  return (
    <>
      <Count of={row.calls} />
      <OfIncompleteCost of={incompleteIn([row])} />
    </>
  );
}

/** Links lead to the calls of the same period. */
const columnsFor = (time: RangeSearch): readonly Column<Project>[] => [
  {
    id: 'name',
    head: 'Project',
    sortBy: ({ name }) => name ?? '',
    cell: ({ name }) => (
      <Text span inherit fw={550} className="wrap" c={name === null ? 'dimmed' : undefined}>
        {name ?? 'without a project'}
      </Text>
    ),
  },
  { id: 'cost', card: 'money', head: 'Spent', right: true, sortBy: ({ cost }) => Number(cost), cell: (row) => <UsageCost of={row} /> },
  { id: 'calls', head: 'Calls', right: true, sortBy: ({ calls }) => calls, cell: (row) => <Calls of={row} /> },
  { id: 'keys', head: 'Keys', right: true, sortBy: ({ keys }) => keys, cell: ({ keys }) => keys },
  {
    id: 'caps',
    head: 'Cap',
    cell: ({ caps }) =>
      caps.length === 0 ? (
        <Text span inherit c="dimmed">
          none
        </Text>
      ) : (
        caps.map((cap) => (
          <div key={cap.id}>
            <Spent of={cap} />
            <Text size="xs" c="dimmed">
              a {cap.window}
            </Text>
          </div>
        ))
      ),
  },
  {
    id: 'links',
    head: '',
    right: true,
    cell: ({ name }) => name === null ? null : (
      <Group gap="sm" justify="flex-end" wrap="nowrap">
        <RowAnchor to="/calls" search={{ ...time, project: name }}>
          Calls
        </RowAnchor>
        <RowAnchor to="/explore" search={{ ...time, project: name, by: 'model' }} className="nowrap">
          By model
        </RowAnchor>
      </Group>
    ),
  },
];

function RowAnchor(props: LinkProps & { readonly className?: string }) {
  return <Link {...useNamedByRow()} {...props} />;
}
