/** A table of usage as cells, and as CSV. */
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

/** The characters that begin a formula in spreadsheets, in both widths: the same as in the platform's own exports. */
const computed = /^[=+\-@|%\t\r\n\uFF1D\uFF0B\uFF0D\uFF20\uFF5C\uFF05]/;

/** Puts an apostrophe before text that a spreadsheet would run as a formula. */
export function csvOf({ heads, rows }: Cells): string {
  const cell = (value: string | number | null): string => {
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    const safe = computed.test(value) && !/^-?\d+(?:\.\d+)?$/.test(value) ? `'${value}` : value;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [heads, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}
