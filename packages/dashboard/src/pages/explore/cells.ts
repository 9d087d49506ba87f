/** A table of usage as cells. */
import type { Dimension, ExploredRow } from '../../parts/usage-rows.ts';

export interface Cells {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

const figures = [
  'calls',
  'inputTokens',
  'cachedTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
  'cost',
  'cacheSavings',
  'unknownCalls',
  'unpricedCalls',
  'gapCalls',
] as const;

export function cells(
  rows: readonly ExploredRow[],
  dimensions: readonly Dimension[],
  nameOf: (row: ExploredRow, dimension: Dimension) => string,
): Cells {
  const given = figures.filter((name) => rows.some((row) => row[name] !== undefined));
  return {
    heads: [...dimensions.flatMap((dimension) => (dimension === 'key' ? ['key', 'keyName'] : [dimension])), ...given],
    rows: rows.map((row) => [
      ...dimensions.flatMap((dimension) => {
        const name = ((row as Readonly<Record<string, unknown>>)[dimension] ?? null) as string | null;
        return dimension === 'key' ? [name, nameOf(row, dimension)] : [name];
      }),
      ...given.map((name) => row[name] ?? null),
    ]),
  };
}
