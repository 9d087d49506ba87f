/** Every call, newest first: by time and filters, live, and one of them opened as a sheet. Never content. */
import { Button, Drawer, Group, Switch } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { memo, useCallback, useDeferredValue, useMemo } from 'react';
import type { CallsSearch } from '../../app/page-search.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { FilterOnDemand } from '../../parts/filter-on-demand.tsx';
import { Older, type Paged } from '../../parts/long-list.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { RangeOnPaper, RangePicker } from '../../parts/range-picker.tsx';
import { RecordsGone } from '../../parts/records-gone.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import type { ShownCall } from '../../shown/call-record.ts';
import { useKeyNames } from '../../shown/key-names.ts';
import { callListColumns } from './call-columns.tsx';
import { callsQuery, callsRange, hasCounts, newestCallsQuery } from './calls-asks.ts';
import { CallsOverTime } from './calls-over-time.tsx';
import { CallSheet } from './call-sheet.tsx';
import { CallStateFilters } from './call-state-filters.tsx';

const route = getRouteApi('/shell/calls');

export function CallsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const live = search.live === 'on';
  const set = (change: Partial<CallsSearch>): void =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  const range = useMemo(() => callsRange(search), [search.range, search.since, search.until]);
  const calls = useCalls(search, live);
  const names = useKeyNames();
  const columns = useMemo(() => callListColumns(names), [names]);
  const open = useCallback(
    (call: ShownCall) => void navigate({ search: (old) => ({ ...old, call: call.id }), replace: true, resetScroll: false }),
    [navigate],
  );
  // Drawn in slices when there is time: user input goes before new rows.
  const shown = useDeferredValue(calls.rows);
  return (
    <Page
      title="Calls"
      about="What was forwarded, as it was measured. Prompts and answers are never kept."
      actions={<Switch label="Live" checked={live} onChange={(event) => set({ live: event.currentTarget.checked ? 'on' : undefined })} />}>
      <Group gap="xs">
        {live ? null : <RangePicker range={range} onChange={set} />}
        <CallStateFilters search={search} onChange={set} />
        <FilterOnDemand filters={search} onChange={set} />
        {search.session === undefined ? null : (
          <Button size="compact-xs" variant="default" onClick={() => set({ session: undefined })} aria-label="Without the filter session">
            Session: {search.session} ×
          </Button>
        )}
        {search.connection === undefined ? null : (
          <Button size="compact-xs" variant="default" onClick={() => set({ connection: undefined })} aria-label="Without the filter connection">
            Connection: {search.connection} ×
          </Button>
        )}
      </Group>
      {live ? null : <RangeOnPaper range={range} />}
      {live ? null : <RecordsGone sinceMs={range.sinceMs} />}
      {!live && hasCounts(search) ? <CallsOverTime range={range} filters={search} onPick={set} /> : null}
      <Panel flush>
        <Loaded of={{ data: shown, error: calls.error, refetch: calls.refetch }} height={520}>
          {(rows) =>
            rows.length === 0 ? (
              <Nothing
                icon={Activity}
                title={live ? 'Waiting for calls' : 'No call in this time'}
                action={
                  <Button component={Link} to="/start" variant="default">
                    Send the first call
                  </Button>
                }>
                Change the time or the filters, or send a call through the gateway.
              </Nothing>
            ) : (
              <CallTable rows={rows} columns={columns} onOpen={open} />
            )
          }
        </Loaded>
        {calls.older === null ? null : <Older of={calls.older}>Older calls</Older>}
      </Panel>
      <Drawer opened={search.call !== undefined} onClose={() => set({ call: undefined })} position="right" size="lg" title="Call">
        {search.call === undefined ? null : <CallSheet id={search.call} known={calls.rows?.find(({ id }) => id === search.call)} />}
      </Drawer>
    </Page>
  );
}

const idOf = (call: ShownCall): string => call.id;

/** Drawn again only if its rows change. */
const CallTable = memo(function CallTable({
  rows,
  columns,
  onOpen,
}: {
  readonly rows: readonly ShownCall[];
  readonly columns: readonly Column<ShownCall>[];
  readonly onOpen: (call: ShownCall) => void;
}) {
  return <DataTable<ShownCall> caption="Calls" rows={rows} rowId={idOf} columns={columns} minWidth={900} onOpen={onOpen} />;
});

interface ShownCalls {
  readonly rows: readonly ShownCall[] | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
  /** Null: only the newest are shown. */
  readonly older: Paged | null;
}

/** In live mode, asks for the newest calls each second and keeps nothing older; otherwise pages, from the newest on. */
function useCalls(search: CallsSearch, live: boolean): ShownCalls {
  const newest = useQuery({ ...newestCallsQuery(search), enabled: live });
  const pages = useInfiniteQuery({ ...callsQuery(search), enabled: !live });
  const rows = useMemo(
    () => (live ? newest.data?.data : pages.data?.pages.flatMap((page) => page.data)) as readonly ShownCall[] | undefined,
    [live, newest.data, pages.data],
  );
  const { error, refetch } = live ? newest : pages;
  return { rows, error, refetch, older: live ? null : pages };
}
