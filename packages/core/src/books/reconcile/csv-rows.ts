/**
 * CSV text (RFC 4180) → its rows, by the names in the first row. Reads quotes, doubled quotes, separators and line feeds in quotes, a byte order
 * mark, and commas, semicolons or tabs as separators. With semicolons, the comma is the decimal sign of numbers.
 */
import { BillFault } from './bill-fault.ts';

/** A row of an export: CSV cells, or members of a JSON object, by names in lower case with `_` for all that is no letter or digit. */
export interface ExportRow {
  /** Undefined: the export has no such column. */
  get(name: string): unknown;
}

export interface CsvTable {
  readonly names: readonly string[];
  readonly rows: readonly ExportRow[];
}

/** More than any export has: that of a large account of AWS has a column for each of its tags. */
const columnsMax = 2_000;

type Separator = ',' | ';' | '\t';

const cells: { readonly [S in Separator]: RegExp } = {
  ',': /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y,
  ';': /(?:"((?:[^"]|"")*)"|([^";\r\n]*))(;|\r\n|\n|\r|$)/y,
  '\t': /(?:"((?:[^"]|"")*)"|([^"\t\r\n]*))(\t|\r\n|\n|\r|$)/y,
};

/** @throws BillFault if there are too many columns, a row has more cells than the first row, or a quote is not closed. */
export function csvTable(text: string): CsvTable {
  const plain = text.replace(/^\uFEFF/, '');
  const separator = separatorOf(plain);
  const [head, ...rows] = cellsOf(plain, separator);
  if (head === undefined) throw new BillFault('The file is empty.');
  if (head.length > columnsMax) throw new BillFault(`The file has more than ${columnsMax} columns, which no export has.`);
  const names = head.map(columnName);
  const places = new Map(names.map((name, index) => [name, index]));
  const decimalComma = separator === ';';
  return {
    names,
    rows: rows.filter((row) => row.length > 1 || row[0] !== '').map((row) => {
      if (row.length > names.length) throw new BillFault('A row of the file has more cells than its first row names.');
      return {
        get(name) {
          const place = places.get(name);
          if (place === undefined) return undefined;
          const cell = row[place] ?? '';
          return decimalComma && /^-?[\d.]*,\d+$/.test(cell) ? cell.replaceAll('.', '').replace(',', '.') : cell;
        },
      };
    }),
  };
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
  const cell = cells[separator];
  cell.lastIndex = 0;
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) throw new BillFault('A quote in the file is not closed, or stands where none may stand.');
    row.push(match[1] === undefined ? match[2]! : match[1].replaceAll('""', '"'));
    if (match[3] === separator) {
      if (cell.lastIndex === text.length) row.push('');
      continue;
    }
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
