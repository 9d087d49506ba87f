/** What the list of calls asks of the platform. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { organizationQuery } from '../../api/asked-often.ts';
import { api, ask } from '../../api/client.ts';
import { chosenFilters, type CallsSearch, type Filters } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';
import type { ShownCall } from '../../shown/call-record.ts';
import { keysQuery } from '../../shown/key-names.ts';
import { isoOf, searchedRange, type Range } from '../../shown/ranges.ts';

const path = '/platform/v1/calls';
const pageLength = 100;
/** In live mode, all rows may be new every second. */
const liveLength = 30;
const dayMs = 86_400_000;

interface PageOfCalls {
  readonly limit: number;
  readonly since?: string;
  readonly until?: string;
  readonly cursor?: string | undefined;
}

export function callsRange(search: CallsSearch): Range {
  return searchedRange(search, Date.now(), '24h');
}

function filtersOf({ model, key, project, label, run, wire, endpoint, outcome, status, usage, lacks, session, connection }: CallsSearch) {
  return { model, key, project, label, run, wire, endpoint, outcome, status, usage, lacks, session, connection };
}

async function pageOfCalls(search: CallsSearch, page: PageOfCalls, signal: AbortSignal) {
  return (await ask.GET(path, { params: { query: { ...filtersOf(search), ...page } }, signal })).data!;
}

/** The newest, each second, and nothing older. */
export function newestCallsQuery(search: CallsSearch) {
  return queryOptions({
    queryKey: ['get', path, 'live', filtersOf(search)],
    refetchInterval: 1_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => pageOfCalls(search, { limit: liveLength }, signal),
  });
}

/** Those of the range, a page at a time, from the newest on. */
export function callsQuery(search: CallsSearch) {
  return infiniteQueryOptions({
    queryKey: ['get', path, 'pages', filtersOf(search), search.range, search.since, search.until],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => pageOfCalls(search, { limit: pageLength, ...isoOf(callsRange(search)), cursor: pageParam }, signal),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** How calls ended, and sessions and connections, are in no sum: then only the list tells. */
export function hasCounts({ outcome, status, usage, lacks, session, connection }: CallsSearch): boolean {
  return [outcome, status, usage, lacks, session, connection].every((each) => each === undefined);
}

/** The bars above the list. Runs have sums of days alone. */
export function stepOf(range: Range, { run }: Filters): 'hour' | 'day' {
  return range.untilMs - range.sinceMs <= 2 * dayMs && run === undefined ? 'hour' : 'day';
}

export function callCountsQuery(range: Range, filters: Filters) {
  const query = { by: stepOf(range, filters), limit: 1_000, ...isoOf(range), ...chosenFilters(filters) };
  return api.queryOptions('get', '/platform/v1/usage', { params: { query } }, { refetchInterval: 30_000 });
}

/** One call; a record never changes. */
export function callQuery(id: string) {
  return queryOptions({
    queryKey: ['get', '/platform/v1/calls/{id}', id],
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await ask.GET('/platform/v1/calls/{id}', { params: { path: { id } }, signal })).data as ShownCall,
  });
}

export function callCostQuery(id: string) {
  return api.queryOptions('get', '/platform/v1/calls/{id}/cost', { params: { path: { id } } }, { staleTime: 60_000 });
}

export const callsAsks: Asks<CallsSearch> = (search, { organization }) => {
  const range = callsRange(search);
  const list = search.live === 'on' ? [newestCallsQuery(search)]
    : [callsQuery(search), organizationQuery(organization.id), ...(hasCounts(search) ? [callCountsQuery(range, search)] : [])];
  const opened = search.call === undefined ? [] : [callQuery(search.call), callCostQuery(search.call)];
  return [...list, ...opened, keysQuery];
};
