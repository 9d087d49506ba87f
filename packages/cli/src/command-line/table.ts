/**
 * Rows → text in aligned columns for people. What came from outside cannot move the cursor: control characters become `?`.
 */

/** Absent is shown as `-`. Columns whose every value is a number are aligned right. */
export function table(heads: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const cells = rows.map((row) => row.map((value) => (value === null || value === '' ? '-' : plain(String(value)))));
  const numeric = heads.map((_, column) => cells.some((row) => row[column] !== '-')
    && cells.every((row) => /^(?:-|\d[\d.]*)$/.test(row[column] ?? '-')));
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => row.map((cell, column) =>
    (numeric[column] === true ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join('  ').trimEnd();
  return [line(heads), ...cells.map(line)].join('\n');
}

/** Names and their values, one a line. */
export function fields(entries: readonly (readonly [string, string | number | null])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value === null || value === '' ? '-' : plain(String(value))}`).join('\n');
}

/** Text without anything that a terminal would act on. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

/** A decimal amount without the zeros at its end. */
export function shortDecimal(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
