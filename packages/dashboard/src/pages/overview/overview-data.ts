/** What the overview asks of the platform. */
import { keepPreviousData } from '@tanstack/react-query';
import { capsQuery, organizationQuery } from '../../api/asked-often.ts';
import { api, type Shown } from '../../api/client.ts';
import { chosenFilters, type Filters, type OverviewSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';
import { seriesMax, topUsageQuery, type Metric } from '../../parts/usage-rows.ts';
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

const groupings = ['model', 'key', 'project', 'label', 'wire', 'endpoint'] as const;
export type Grouping = (typeof groupings)[number];
/** What a grouped chart can draw, by its name in the address. */
const groupedFigures: Readonly<Record<string, Metric>> = { spend: 'cost', calls: 'calls', tokens: 'tokens' };

/** What the grouped chart shows at this address. `drawn`: its name there. */
export function groupedIn({ by, metric }: OverviewSearch) {
  const drawn = metric !== undefined && Object.hasOwn(groupedFigures, metric) ? metric : 'spend';
  return { other: groupings.find((each) => each === by) ?? null, drawn, figure: groupedFigures[drawn]! };
}

export function groupedQuery(search: OverviewSearch, range: Range) {
  const { other, figure } = groupedIn(search);
  return topUsageQuery({ by: 'day', and: other, range, filters: chosenFilters(search) }, { metric: figure, top: seriesMax });
}

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

export function isGrouped(search: OverviewSearch): boolean {
  return search.by !== undefined || isFiltered(search);
}

function isFiltered(search: OverviewSearch): boolean {
  return Object.keys(chosenFilters(search)).length > 0;
}

export const overviewAsks: Asks<OverviewSearch> = (search, { organization }) => {
  const range = overviewRange(search);
  const ofAll = [capsQuery, overviewQuery(range), refusalsQuery(range)];
  const ofSome = (): readonly ReturnType<typeof filteredQuery>[] => [
    filteredQuery(range, search), ...Object.values(comparedSpans(range, Date.now())).map((span) => comparedQuery(span, search)),
  ];
  // What is answered at once goes first: a browser has six connections, and reports of a long time hold all of them.
  return [
    keysQuery, organizationQuery(organization.id), ...(isFiltered(search) ? ofSome() : ofAll),
    ...(isGrouped(search) ? [groupedQuery(search, range)] : []), ...topPanels.map(({ by }) => topQuery(by, range, search)),
  ];
};
