/** What an address of the explore page is about, and what that asks of the platform. */
import { organizationQuery } from '../../api/asked-often.ts';
import { api } from '../../api/client.ts';
import { chosenFilters, type ExploreSearch } from '../../app/page-search.ts';
import { allows, type Asks } from '../../app/session.ts';
import {
  exploredQuery, metrics, seriesMax, topUsageQuery, type Dimension, type Largest, type Metric, type UsageGrouping,
} from '../../parts/usage-rows.ts';
import { keysQuery } from '../../shown/key-names.ts';
import { searchedRange, type Range } from '../../shown/ranges.ts';
import { besideBeforeQuery, mayCompare, rangesCompared } from './time-before.ts';

const everybodys: readonly Dimension[] = ['model', 'key', 'project', 'label', 'run', 'upstream', 'day', 'month', 'wire', 'endpoint'];
/** Whose keys are whose is for admins to see. */
const admins: readonly Dimension[] = everybodys.toSpliced(2, 0, 'person');
/** How many of the largest are shown as bars. */
const largestMax = 10;

export const viewsQuery = api.queryOptions('get', '/platform/v1/views', {}, { staleTime: 60_000 });

export function dimensionsFor(admin: boolean): readonly Dimension[] {
  return admin ? admins : everybodys;
}

interface UsageShownAt extends UsageGrouping {
  readonly metric: Metric;
  /** The time before stands beside. */
  readonly compares: boolean;
}

/** What is shown at this address, to somebody who may choose these dimensions. */
export function groupingIn(search: ExploreSearch, dimensions: readonly Dimension[]): UsageShownAt {
  const by = dimensions.find((each) => each === search.by) ?? 'model';
  const and = dimensions.find((each) => each === search.and && each !== by) ?? null;
  const metric = metrics.find(({ value }) => value === search.metric)?.value ?? 'cost';
  return { by, and, metric, compares: search.beside === 'before' && mayCompare({ by, and }) };
}

export function exploreRange(search: ExploreSearch): Range {
  return searchedRange(search, Date.now(), '30d');
}

export function isOverDays({ by, and }: UsageGrouping): boolean {
  return by === 'day' || and === 'day';
}

/** What the chart shows. */
export function largestOf(question: UsageGrouping, metric: Metric): Largest {
  return { metric, top: isOverDays(question) ? seriesMax : largestMax };
}

export const exploreAsks: Asks<ExploreSearch> = (search, session) => {
  const { by, and, metric, compares } = groupingIn(search, dimensionsFor(allows(session, 'admin')));
  const chosen = exploreRange(search);
  const compared = rangesCompared(chosen, Date.now());
  const question = { by, and, range: compares ? compared.now : chosen, filters: chosenFilters(search) };
  // What is answered at once goes first: a browser has six connections.
  return [
    keysQuery, viewsQuery, organizationQuery(session.organization.id),
    ...(compares ? [topUsageQuery(question, largestOf(question, metric)), besideBeforeQuery(question, compared.before)]
      : [exploredQuery(question, largestOf(question, metric))]),
  ];
};
