/** Usage by one dimension or two, filtered: every row of it, and how a row appears in a chart. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask, type Shown } from '../api/client.ts';
import { chosenFilters, type Filters } from '../app/page-search.ts';
import { isoOf, type Range } from '../shown/ranges.ts';
import type { KeyNames } from '../shown/key-names.ts';

export type Dimension = 'model' | 'key' | 'project' | 'label' | 'run' | 'upstream' | 'day' | 'month' | 'wire' | 'endpoint';

export const metrics = [
  { value: 'cost', label: 'Cost' },
  { value: 'calls', label: 'Calls' },
  { value: 'tokens', label: 'Tokens' },
] as const;
export type Metric = (typeof metrics)[number]['value'];

/** A row of usage; its names are under the names of their dimensions. */
export type ExploredRow = Shown<'Usage'> & {
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly cacheSavings?: string | null;
  readonly gapCalls?: number;
};

/** The most rows that a page asks for; the export is there for more. */
const rowsMax = 5_000;

export function useExplored({
  by,
  and,
  range,
  filters,
}: {
  readonly by: Dimension;
  readonly and: Dimension | null;
  readonly range: Range;
  readonly filters: Filters;
}) {
  const chosen = chosenFilters(filters);
  return useQuery({
    queryKey: ['get', '/platform/v1/usage', 'explore', by, and, range.name, range.sinceMs, range.untilMs, chosen],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const rows: ExploredRow[] = [];
      let cursor: string | undefined;
      do {
        const query = { by: and === null ? by : `${by},${and}`, limit: 1_000, cursor, ...isoOf(range), ...chosen };
        const page = (await ask.GET('/platform/v1/usage', { params: { query }, signal })).data!;
        rows.push(...page.data);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && rows.length < rowsMax);
      return rows;
    },
  });
}

export function metricOf(row: ExploredRow, metric: Metric): number {
  return metric === 'calls' ? row.calls : metric === 'tokens' ? row.inputTokens + row.outputTokens : Number(row.cost);
}

/** A row's name in one dimension, as it is shown. */
export function nameIn(row: ExploredRow, dimension: Dimension, names: KeyNames): string {
  const name = (row as Readonly<Record<string, unknown>>)[dimension];
  if (name === null || name === undefined) return `without a ${dimension}`;
  return dimension === 'key' ? (names.get(String(name)) ?? String(name)) : String(name);
}
