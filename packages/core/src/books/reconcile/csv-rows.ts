/**
 * CSV text (RFC 4180) → its rows, by the names in the first row. Reads quotes, doubled quotes, separators and line feeds in quotes, a byte order
 * mark, and commas, semicolons or tabs as separators. With semicolons, the comma is the decimal sign of numbers, unless the file has none.
 */
import { BillFault } from './bill-fault.ts';

/** A row of an export: CSV cells, or members of a JSON object, by names in lower case with `_` for all that is no letter or digit. */
export interface ExportRow {
  /** Undefined: the export has no such column. */
  get(name: string): unknown;
}

interface CsvTable {
  readonly names: readonly string[];
  readonly rows: readonly ExportRow[];
  /** All cells of a row. */
  readonly textOf: (index: number) => string;
}

/** More than any export has: that of a large account of AWS has a column for each of its tags. */
const columnsMax = 2_000;

type Separator = ',' | ';' | '\t';

/** What ends a cell without quotes. */
const plainEnds: { readonly [S in Separator]: RegExp } = { ',': /[",\r\n]/g, ';': /[";\r\n]/g, '\t': /["\t\r\n]/g };

/** What one export may have: a month of a large account has some ten thousand lines. */
export const billRowsMax = 200_000;
const cellsMax = 4_000_000;

/**
 * @throws BillFault if there are too many columns, rows or cells, a row has more cells than the first row, a quote is not closed, or the file is
 * several exports one after the other.
 */
export function csvTable(text: string): CsvTable {
  // Spreadsheet programs write `sep=;` above the first row where the separator is not theirs.
  const plain = text.replace(/^\uFEFF/, '').replace(/^sep=[,;\t]\r?\n/i, '');
  const separator = separatorOf(plain);
  const [head, ...all] = cellsOf(plain, separator);
  if (head === undefined) throw new BillFault('The file is empty.');
  if (head.length > columnsMax) throw new BillFault(`The file has more than ${columnsMax} columns, which no export has.`);
  const rows = all.filter((row) => row.length > 1 || row[0] !== '');
  for (const [index, row] of rows.entries()) checkRow(row, head, index + 2);
  if ((rows.at(-1)?.length ?? head.length) < head.length && !/[\r\n]$/.test(plain)) {
    throw new BillFault('The last row of the file ends before its last cell: the file was cut short. Download it again.');
  }
  const names = head.map(columnName);
  const places = new Map(names.map((name, index) => [name, index]));
  const numberOf = separator === ';' && hasDecimalCommas(rows) ? withDecimalPoint : (cell: string): string => cell;
  return {
    names,
    rows: rows.map((row) => ({
      get(name) {
        const place = places.get(name);
        return place === undefined ? undefined : numberOf(row[place] ?? '');
      },
    })),
    textOf: (index) => (rows[index] ?? []).join('\u001f'),
  };
}

function checkRow(row: readonly string[], head: readonly string[], number: number): void {
  if (row.length > head.length && row.slice(head.length).some((cell) => cell.trim() !== '')) {
    throw new BillFault(`Row ${number} of the file has more cells than its first row names.`);
  }
  if (row.length === head.length && row.every((cell, index) => cell === head[index])) {
    throw new BillFault(`Row ${number} of the file is its first row again: it is several exports one after the other. Compare each by itself.`);
  }
}

/** Only decimals: commas and points that may also separate thousands are not among them. */
const onlyDecimals = {
  comma: /^-?(?:\d{1,3}(?:[. \u00a0\u202f'’]\d{3})+,\d+|\d*,(?:\d{1,2}|\d{4,})|0,\d+)$/,
  point: /^-?(?:\d{1,3}(?:,\d{3})+\.\d+|\d*\.(?:\d{1,2}|\d{4,})|0\.\d+)$/,
} as const;
const withComma = /^-?(?:\d{1,3}(?:[. \u00a0\u202f'’]\d{3})+(?:,\d+)?|\d*,\d+)$/;

/** Where no number decides it, as in the countries that write semicolons. */
function hasDecimalCommas(rows: readonly (readonly string[])[]): boolean {
  const some = (form: RegExp): boolean => rows.some((row) => row.some((cell) => form.test(cell)));
  return some(onlyDecimals.comma) || !some(onlyDecimals.point);
}

/** `1.234,5` → `1234.5`. */
function withDecimalPoint(cell: string): string {
  return withComma.test(cell) ? cell.replaceAll(/[. \u00a0\u202f'’]/g, '').replace(',', '.') : cell;
}

/** `line_item/UsageType` and `LineItem UsageType` are `line_item_usagetype` and `lineitem_usagetype`. */
export function columnName(name: string): string {
  return name.trim().toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
}

/** Whichever separates most of the first line. */
function separatorOf(text: string): Separator {
  const line = text.slice(0, 100_000).split(/[\r\n]/, 1)[0]!;
  const count = (separator: Separator): number => line.split(separator).length;
  return count('\t') > count(',') ? '\t' : count(';') > count(',') ? ';' : ',';
}

function cellsOf(text: string, separator: Separator): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  for (let at = 0; at < text.length;) {
    const [cell, end] = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, separator);
    row.push(cell);
    cells += 1;
    if (cells > cellsMax) throw new BillFault(`The file has more than ${cellsMax} cells. Compare it in parts.`);
    if (text[end] === separator) {
      at = end + 1;
      if (at === text.length) row.push('');
      continue;
    }
    at = endOfLine(text, end);
    rows.push(row);
    if (rows.length > billRowsMax) throw tooManyBillRows();
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

export function tooManyBillRows(): BillFault {
  return new BillFault(`The file has more than ${billRowsMax} lines. Compare it in parts, by days for example.`);
}

/** The text of the cell at `at`, and where it ends. A quote within it is doubled. */
function quotedCell(text: string, at: number): readonly [cell: string, end: number] {
  let close = text.indexOf('"', at + 1);
  let isDoubled = false;
  while (close !== -1 && text[close + 1] === '"') {
    isDoubled = true;
    close = text.indexOf('"', close + 2);
  }
  if (close === -1) throw badQuote();
  const cell = text.slice(at + 1, close);
  return [isDoubled ? cell.replaceAll('""', '"') : cell, close + 1];
}

function plainCell(text: string, at: number, separator: Separator): readonly [cell: string, end: number] {
  const ends = plainEnds[separator];
  ends.lastIndex = at;
  const end = ends.exec(text)?.index ?? text.length;
  return [text.slice(at, end), end];
}

/** What follows the line that ends there. */
function endOfLine(text: string, at: number): number {
  if (at === text.length || text[at] === '\n') return at + 1;
  if (text[at] !== '\r') throw badQuote();
  return text[at + 1] === '\n' ? at + 2 : at + 1;
}

function badQuote(): BillFault {
  return new BillFault('A quote in the file is not closed, or stands where none may stand.');
}
