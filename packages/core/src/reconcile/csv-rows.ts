/**
 * CSV text (RFC 4180) → its rows, by the names in the first row. Reads quotes, doubled quotes, commas and line feeds in quotes, a byte order mark.
 */
import { BillFault } from './bill.ts';

export type CsvRow = Readonly<Record<string, string>>;

/** Twice as many as any export has. Each row is read by all of them, so that many names and many rows would take quadratic time. */
const columnsMax = 100;

/** @throws BillFault if there are too many columns, a row has more cells than the first row, or a quote is not closed. */
export function csvRows(text: string): CsvRow[] {
  const [head, ...rows] = cellsOf(text.replace(/^\uFEFF/, ''));
  if (head === undefined) throw new BillFault('The file is empty.');
  if (head.length > columnsMax) throw new BillFault(`The file has more than ${columnsMax} columns, which no export has.`);
  const names = head.map((name) => name.trim().toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'));
  return rows.filter((row) => row.length > 1 || row[0] !== '').map((row) => {
    if (row.length > names.length) throw new BillFault('A row of the file has more cells than its first row names.');
    return Object.fromEntries(names.map((name, index) => [name, row[index] ?? '']));
  });
}

function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) throw new BillFault('A quote in the file is not closed, or stands where none may stand.');
    row.push(match[1] === undefined ? match[2]! : match[1].replaceAll('""', '"'));
    if (match[3] === ',') {
      if (cell.lastIndex === text.length) row.push('');
      continue;
    }
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
