/** Usage by one dimension or two, filtered: its largest rows, all of them, and how a row appears in a chart. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ask, type Shown } from '../api/client.ts';
import { chosenFilters, type Filters } from '../app/page-search.ts';
import { isoOf, type Range } from '../shown/ranges.ts';
import type { KeyNames } from '../shown/key-names.ts';
import { rowsByLine } from './rows-by-line.ts';

export type Dimension = 'model' | 'key' | 'person' | 'project' | 'label' | 'run' | 'upstream' | 'day' | 'month' | 'wire' | 'endpoint';

/** How many names of a chart over days have a colour. */
export const seriesMax = 7;

export const metrics = [
  { value: 'cost', label: 'Cost' },
  { value: 'calls', label: 'Calls' },
  { value: 'tokens', label: 'Tokens' },
] as const;
export type Metric = (typeof metrics)[number]['value'];

/** A row of usage; its names are under the names of their dimensions. */
export type ExploredRow = Shown<'Usage'> & {
  readonly everythingElse?: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly cacheSavings?: string | null;
  readonly gapCalls?: number;
};

/** Of all calls of the time and the filters: the foot of a table, and what shares are shares of. */
export type UsageTotal = Shown<'UsageTotal'>;

export interface UsageQuestion {
  readonly by: Dimension;
  readonly and: Dimension | null;
  readonly range: Range;
  readonly filters: Filters;
}

/** What the rows are of. It decides the columns of a table and the names in a chart. */
export type UsageGrouping = Pick<UsageQuestion, 'by' | 'and'>;

const path = '/platform/v1/usage';
/** The most rows of one answer. */
const rowsMax = 1_000;

function queryOf({ by, and, range, filters }: UsageQuestion) {
  return { by: and === null ? by : `${by},${and}`, ...isoOf(range), ...chosenFilters(filters) };
}

function keyOf({ by, and, range, filters }: UsageQuestion): readonly unknown[] {
  return [by, and, range.name, range.sinceMs, range.untilMs, chosenFilters(filters)];
}

/**
 * For `placeholderData`: a former answer stays until the new one is there if both have the same dimensions. Otherwise its rows are no answer to the
 * question above them.
 */
export function keptIfSame<Answer extends UsageGrouping>(former: Answer | undefined, { by, and }: UsageGrouping): Answer | undefined {
  return former?.by === by && former.and === and ? former : undefined;
}

/** What tells a row from all others of its answer: its names in their order. A call without a name has null there. */
export function namesOfRow(row: ExploredRow, { by, and }: UsageGrouping): string {
  return JSON.stringify([by, and].map((each) => (each === null ? null : ((row as Readonly<Record<string, unknown>>)[each] ?? null))));
}

/** What an answer says of its rows. */
export function groupingOf({ by, and }: UsageQuestion): UsageGrouping {
  return { by, and };
}

/** What an address of the explore page is answered. */
export interface Explored extends UsageGrouping {
  readonly rows: readonly ExploredRow[];
  readonly total: UsageTotal;
  readonly largest: { readonly metric: Metric; readonly rows: readonly ExploredRow[] };
}

/** What a chart shows of a question: the `top` largest values by this figure, and everything else as one row (of each day). */
export interface Largest {
  readonly metric: Metric;
  readonly top: number;
}

/**
 * The costliest rows, as many as one answer has, and the figures of all calls. `total.rows` tells whether these are all. What the chart shows first
 * comes with them, from one reading of the platform; by another figure it is asked for alone (`topUsageQuery`).
 */
export function exploredQuery(question: UsageQuestion, { metric, top }: Largest) {
  return queryOptions({
    queryKey: ['get', path, 'explore', ...keyOf(question)],
    queryFn: async ({ signal }): Promise<Explored> => {
      const query = { ...queryOf(question), limit: rowsMax, total: 'true' as const, largest: top, largestBy: metric };
      const { data, total, largest } = (await ask.GET(path, { params: { query }, signal })).data!;
      return {
        ...groupingOf(question), rows: data as readonly ExploredRow[], total: total!,
        largest: { metric, rows: largest! as readonly ExploredRow[] },
      };
    },
    placeholderData: (former) => keptIfSame(former, question),
  });
}

/** The largest values alone. */
export function topUsageQuery(question: UsageQuestion, { metric, top }: Largest) {
  return queryOptions({
    queryKey: ['get', path, 'top', metric, top, ...keyOf(question)],
    queryFn: async ({ signal }) => {
      const rows: ExploredRow[] = [];
      const pageFrom = async (cursor?: string) => {
        const query = { ...queryOf(question), limit: rowsMax, top: String(top) as never, order: metric, cursor, total: 'true' as const };
        const page = (await ask.GET(path, { params: { query }, signal })).data!;
        rows.push(...page.data);
        return page;
      };
      let page = await pageFrom();
      while (page.nextCursor !== undefined && page.nextCursor !== null) page = await pageFrom(page.nextCursor);
      return { ...groupingOf(question), rows: rows as readonly ExploredRow[], total: page.total! };
    },
    placeholderData: (former) => keptIfSame(former, question),
  });
}

/** The figures of all calls, and not how many rows they are in: by month the platform has the fewest to read. */
export async function totalOf(question: UsageQuestion, signal: AbortSignal): Promise<Omit<UsageTotal, 'rows'>> {
  const query = { ...queryOf(question), by: 'month', limit: 1, total: 'true' as const };
  return (await ask.GET(path, { params: { query }, signal })).data!.total!;
}

/** Every row. They come in one answer, however many, which is read until the signal is aborted. */
export async function everyRow(question: UsageQuestion, signal?: AbortSignal): Promise<readonly ExploredRow[]> {
  const { data } = await ask.GET('/platform/v1/usage/file', {
    params: { query: { ...queryOf(question), format: 'json' } },
    parseAs: 'stream',
    signal: signal ?? null,
  });
  return rowsByLine(data!, signal);
}

/** The same for a page, when the person asks for it. */
export function useEveryRow(question: UsageQuestion) {
  return useQuery({
    queryKey: ['get', path, 'every', ...keyOf(question)],
    queryFn: ({ signal }) => everyRow(question, signal),
    enabled: false,
    retry: false,
    // To compare a hundred thousand rows with the same ones before takes longer than to draw them.
    structuralSharing: false,
  });
}

/** The address of the file with every row. */
export function fileAddress(question: UsageQuestion, format: 'csv' | 'json'): string {
  return `/platform/v1/usage/file?${new URLSearchParams({ ...queryOf(question), format }).toString()}`;
}

/** What the row of all but the largest is called. */
const everythingElse = 'everything else';

export function metricOf(row: Pick<ExploredRow, 'calls' | 'inputTokens' | 'outputTokens' | 'cost'>, metric: Metric): number {
  return metric === 'calls' ? row.calls : metric === 'tokens' ? row.inputTokens + row.outputTokens : Number(row.cost);
}

/** A row's name in one dimension, as it is shown. */
export function nameIn(row: ExploredRow, dimension: Dimension, names: KeyNames): string {
  const name = (row as Readonly<Record<string, unknown>>)[dimension];
  if (row.everythingElse !== undefined && (name === null || name === undefined)) return everythingElse;
  if (name === null || name === undefined) return `without a ${dimension}`;
  return dimension === 'key' ? (names.get(String(name)) ?? String(name)) : String(name);
}
