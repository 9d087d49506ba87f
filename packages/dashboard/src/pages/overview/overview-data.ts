/** What the overview asks of the platform. Each request is defined once here, so that it can be sent before the page's script is loaded. */
import { keepPreviousData } from '@tanstack/react-query';
import { api, queries, type Shown } from '../../api/client.ts';
import { wholeListQuery } from '../../api/whole-list.ts';
import { chosenFilters, type Filters, type OverviewSearch } from '../../app/page-search.ts';
import { keysQuery } from '../../shown/key-names.ts';
import { comparedSpans, isoOf, searchedRange, type Range, type RangeBounds } from '../../shown/ranges.ts';

export type OverviewData = Shown<'Overview'>;
export type Refusals = Shown<'Refusals'>;
export type TopBy = 'model' | 'project' | 'key' | 'label' | 'run' | 'wire';

export const topShown = 6;
/** Every call has one of the three providers, so these rows cover all calls and shares refer to them. A call may have several labels. */
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

/** Usage by day, filtered: the figures of a filtered overview are sums of it. */
export function filteredQuery(span: RangeBounds, filters: Filters) {
  const query = { by: 'day', limit: 1_000, ...isoOf(span), ...chosenFilters(filters) };
  return api.queryOptions('get', '/platform/v1/usage', { params: { query } }, standing);
}

/** The same for a part of the range, for a comparison. It ends within a day, so it is computed from records: refreshed less often. */
export function comparedQuery(span: RangeBounds, filters: Filters) {
  return { ...filteredQuery(span, filters), refetchInterval: 300_000 };
}

export const capsQuery = wholeListQuery('/platform/v1/caps');

export const topPanels: readonly { readonly by: TopBy; readonly title: string }[] = [
  { by: 'model', title: 'Models' },
  { by: 'project', title: 'Projects' },
  { by: 'key', title: 'Service keys' },
  { by: 'label', title: 'Labels' },
  { by: 'run', title: 'Runs' },
  { by: 'wire', title: 'Providers' },
];

export function overviewRange(search: OverviewSearch): Range {
  return searchedRange(search, Date.now());
}

/** Requests everything that the page will show. */
export function askAhead(search: OverviewSearch): void {
  const range = overviewRange(search);
  if (Object.keys(chosenFilters(search)).length === 0) {
    void queries.prefetchQuery(overviewQuery(range));
    void queries.prefetchQuery(refusalsQuery(range));
  } else {
    void queries.prefetchQuery(filteredQuery(range, search));
    for (const span of Object.values(comparedSpans(range, Date.now()))) void queries.prefetchQuery(comparedQuery(span, search));
  }
  for (const { by } of topPanels) void queries.prefetchQuery(topQuery(by, range, search));
  void queries.prefetchQuery(capsQuery);
  void queries.prefetchQuery(keysQuery);
}
