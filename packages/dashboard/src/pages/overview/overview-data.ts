/** What the overview asks of the platform. Each question stands here once, so that it can be asked before the page's script is there. */
import { keepPreviousData } from '@tanstack/react-query';
import { api, queries, type Shown } from '../../api/client.ts';
import { chosenFilters, type Filters, type OverviewSearch } from '../../app/page-search.ts';
import { keysQuery } from '../../shown/key-names.ts';
import { before, isoOf, rangeOf, type Range } from '../../shown/ranges.ts';

export type Overview = Shown<'Overview'>;
export type Refusals = Shown<'Refusals'>;
export type TopBy = 'model' | 'project' | 'key' | 'label' | 'run' | 'wire';

export const topShown = 6;
/** Every call has one of the three providers, so these rows together are all calls: what a share is of. A call may have several labels. */
export const wholeBy = 'wire';
const standing = { placeholderData: keepPreviousData, refetchInterval: 30_000 } as const;

export function overviewQuery(range: Range) {
  return api.queryOptions('get', '/platform/v1/overview', { params: { query: isoOf(range) } }, standing);
}

export function refusalsQuery(range: Range) {
  return api.queryOptions('get', '/platform/v1/refusals', { params: { query: isoOf(range) } }, standing);
}

export function topQuery(by: TopBy, range: Range, filters: Filters) {
  const query = { by, limit: topShown, ...isoOf(range), ...chosenFilters(filters) };
  return api.queryOptions('get', '/platform/v1/usage', { params: { query } }, standing);
}

/** Usage by day of the range and of the one before it, filtered: what the figures of a filtered overview are added up from. */
export function filteredQuery(range: Range, filters: Filters) {
  const query = { by: 'day', limit: 1_000, ...isoOf(range), ...chosenFilters(filters) };
  return api.queryOptions('get', '/platform/v1/usage', { params: { query } }, standing);
}

export function filteredBeforeQuery(range: Range, filters: Filters) {
  return filteredQuery({ ...range, ...before(range) }, filters);
}

export const capsQuery = api.queryOptions('get', '/platform/v1/caps', { params: { query: { limit: 1_000 } } });

export const topPanels: readonly { readonly by: TopBy; readonly title: string }[] = [
  { by: 'model', title: 'Models' },
  { by: 'project', title: 'Projects' },
  { by: 'key', title: 'Service keys' },
  { by: 'label', title: 'Labels' },
  { by: 'run', title: 'Runs' },
  { by: 'wire', title: 'Providers' },
];

export function overviewRange(search: OverviewSearch): Range {
  return rangeOf(search, Date.now());
}

/** Asks for all that the page will show. */
export function askAhead(search: OverviewSearch): void {
  const range = overviewRange(search);
  if (Object.keys(chosenFilters(search)).length === 0) {
    void queries.prefetchQuery(overviewQuery(range));
    void queries.prefetchQuery(refusalsQuery(range));
  } else {
    void queries.prefetchQuery(filteredQuery(range, search));
    void queries.prefetchQuery(filteredBeforeQuery(range, search));
  }
  for (const { by } of topPanels) void queries.prefetchQuery(topQuery(by, range, search));
  void queries.prefetchQuery(capsQuery);
  void queries.prefetchQuery(keysQuery);
}
