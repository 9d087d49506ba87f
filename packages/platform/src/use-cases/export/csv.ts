/**
 * Values → one line of a CSV file: RFC 4180, lines end with CR LF. Text from callers and providers cannot act as a formula: a text that a
 * spreadsheet would compute gets an apostrophe before it.
 */

/** Numbers are our own and stay as they are, `figure` too, which is one as text; null is an empty cell. */
export type CsvValue = string | number | bigint | { readonly figure: string } | null;

/** Characters that begin a formula or a call of another program in spreadsheets, in both widths, and those that may come before one. */
const computed = /^[=+\-@|%\t\r\n\uFF1D\uFF0B\uFF0D\uFF20\uFF5C\uFF05]/;
const quoted = { ',': /[",\r\n]|^ | $/, ';': /[";\r\n]|^ | $/ } as const;

/** One line with its end, fields quoted where they must be. Text that a spreadsheet would compute is made inert. */
export function csvLine(values: readonly CsvValue[], separator: ',' | ';' = ','): string {
  return `${values.map((value) => cellOf(value, separator)).join(separator)}\r\n`;
}

function cellOf(value: CsvValue, separator: ',' | ';'): string {
  if (value === null) return '';
  if (typeof value === 'object') return value.figure;
  if (typeof value !== 'string') return String(value);
  const inert = computed.test(value) ? `'${value}` : value;
  return quoted[separator].test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** How a file for spreadsheets is written. */
export interface CsvForm {
  /** By which spreadsheets know UTF-8. */
  readonly byteOrderMark: boolean;
  /** Amounts with a comma; the semicolon separates. */
  readonly decimalComma: boolean;
}

/** A whole file: the names of its columns, then its rows. */
export function csvFile(heads: readonly string[], rows: readonly (readonly CsvValue[])[], form: CsvForm): string {
  return (form.byteOrderMark ? '\uFEFF' : '') + csvRows([heads, ...rows], form);
}

/** Rows of a file that has begun. */
export function csvRows(rows: readonly (readonly CsvValue[])[], { decimalComma }: CsvForm): string {
  const separator = decimalComma ? ';' : ',';
  return rows.map((row) => csvLine(row, separator)).join('');
}

/** Our own amount, also below zero: nothing that a spreadsheet would take for a formula. */
export function amountCell(amount: string | null, { decimalComma }: CsvForm): CsvValue {
  return amount === null ? null : { figure: decimalComma ? amount.replace('.', ',') : amount };
}
