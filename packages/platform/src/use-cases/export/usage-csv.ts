/**
 * Rows of usage → a CSV file for ledgers and spreadsheets: every figure exact, money with nine places. On request with a byte order mark, by which
 * spreadsheets know UTF-8, and with a decimal comma, where the semicolon separates.
 */
import type { ComparedUsage } from '../compared-usage.ts';
import type { AskedDimension } from '../usage.ts';
import { amountCell, csvFile, type CsvForm } from './csv.ts';

const wholeNames = [
  'calls', 'inputTokens', 'cachedTokens', 'cacheWriteTokens', 'outputTokens', 'reasoningTokens', 'unknownCalls', 'unpricedCalls', 'gapCalls',
  'repricedCalls', 'notRepricedCalls',
] as const;
const moneyNames = ['cost', 'cacheSavings', 'correction', 'adjustedCost', 'repricedCost', 'repricedFrom'] as const;

/** The same piece by piece, of rows of usage alone. */
export async function* usageCsvPieces(by: readonly AskedDimension[], batches: AsyncIterable<readonly ComparedUsage[]>, form: CsvForm) {
  yield usageCsv(by, [], form);
  for await (const rows of batches) {
    for (let at = 0; at < rows.length; at += rowsOfPiece) yield usageCsvRows(by, rows.slice(at, at + rowsOfPiece), form);
  }
}

/** About half a megabyte. */
const rowsOfPiece = 5_000;

function usageCsvRows(by: readonly AskedDimension[], rows: readonly ComparedUsage[], form: CsvForm): string {
  return usageCsv(by, rows, { ...form, byteOrderMark: false }).replace(/^[^\r\n]*\r\n/, '');
}

/** The columns of the rows, those beside usage only if they were asked for. Without a row: those of usage. */
export function usageCsv(by: readonly AskedDimension[], rows: readonly ComparedUsage[], form: CsvForm): string {
  const usual = new Set<string>([...wholeNames.slice(0, -2), 'cost', 'cacheSavings']);
  const has = (name: keyof ComparedUsage): boolean => usual.has(name) || (rows[0] !== undefined && name in rows[0]);
  const [whole, money] = [wholeNames.filter(has), moneyNames.filter(has)];
  return csvFile([...by, ...whole, ...money], rows.map((row) => [
    ...by.map((dimension) => row[dimension] ?? null), ...whole.map((name) => row[name] ?? null),
    ...money.map((name) => amountCell(row[name] ?? null, form)),
  ]), form);
}
