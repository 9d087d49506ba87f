/**
 * Rows of usage → a CSV file for ledgers and spreadsheets: every figure exact, money with nine places. On request with a byte order mark, by which
 * spreadsheets know UTF-8, and with a decimal comma, where the semicolon separates.
 */
import type { ComparedUsage } from '../compared-usage.ts';
import type { AskedDimension } from '../usage.ts';
import { amountCell, csvFile, csvRows, type CsvForm } from './csv.ts';

const wholeNames = [
  'calls', 'inputTokens', 'cachedTokens', 'cacheWriteTokens', 'outputTokens', 'reasoningTokens', 'unknownCalls', 'unpricedCalls', 'gapCalls',
  'repricedCalls', 'notRepricedCalls',
] as const;
const moneyNames = ['cost', 'cacheSavings', 'correction', 'adjustedCost', 'repricedCost', 'repricedFrom'] as const;

/** How many rows are written at once: about half a megabyte. */
export const rowsOfPiece = 5_000;

/** The columns are those of the first row: what stands beside usage only if it was asked for. Without a row: those of usage. */
export async function* usageCsvPieces(
  by: readonly AskedDimension[], batches: AsyncIterable<readonly ComparedUsage[]>, form: CsvForm,
): AsyncGenerator<string> {
  let columns: UsageColumns | null = null;
  for await (const rows of batches) {
    if (columns === null) yield headOf(by, columns = columnsOf(rows[0]), form);
    for (let at = 0; at < rows.length; at += rowsOfPiece) yield linesOf(by, { columns, rows: rows.slice(at, at + rowsOfPiece) }, form);
  }
  if (columns === null) yield headOf(by, columnsOf(undefined), form);
}

interface UsageColumns {
  readonly whole: readonly (typeof wholeNames)[number][];
  readonly money: readonly (typeof moneyNames)[number][];
}

function columnsOf(row: ComparedUsage | undefined): UsageColumns {
  const usual = new Set<string>([...wholeNames.slice(0, -2), 'cost', 'cacheSavings']);
  const has = (name: keyof ComparedUsage): boolean => usual.has(name) || (row !== undefined && name in row);
  return { whole: wholeNames.filter(has), money: moneyNames.filter(has) };
}

function headOf(by: readonly AskedDimension[], { whole, money }: UsageColumns, form: CsvForm): string {
  return csvFile([...by, ...whole, ...money], [], form);
}

function linesOf(
  by: readonly AskedDimension[],
  { columns: { whole, money }, rows }: { readonly columns: UsageColumns; readonly rows: readonly ComparedUsage[] }, form: CsvForm,
): string {
  return csvRows(rows.map((row) => [
    ...by.map((dimension) => row[dimension] ?? null), ...whole.map((name) => row[name] ?? null),
    ...money.map((name) => amountCell(row[name] ?? null, form)),
  ]), form);
}
