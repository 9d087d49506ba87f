/** Rows → text in aligned columns for people. Control characters become `?`, so that foreign text cannot move the cursor. */
import { withoutEnding } from '@metergate/core/json/without-ending.ts';

/**
 * How wide a table may become; null: unlimited. What gives way, in this order: the space between columns, columns of words that may
 * be shortened, whole columns that are optional, the first one first. Figures are never cut.
 */
interface TableFit {
  readonly widthMax: number | null;
  readonly shrinks: string | readonly string[];
  readonly drops?: readonly string[];
}

/** A shrinking column keeps at least this width. */
const shrunkWidthMin = 12;
/** Figures, and the marks that replace one. */
const figure = /^(?:-|\?|unpriced|\d[\d.]*\+?)$/;

/** Absent is shown as `-`. Columns whose every value is a figure are aligned right. */
export function table(heads: readonly string[], rows: readonly (readonly (string | number | null)[])[], fit?: TableFit): string {
  const dropped = fit?.drops?.find((head) => heads.includes(head));
  if (fit !== undefined && dropped !== undefined && fit.widthMax !== null && leastWidth(heads, rows, fit) > fit.widthMax) {
    const kept = heads.map((head) => head !== dropped);
    return table(heads.filter((_, index) => kept[index]), rows.map((row) => row.filter((_, index) => kept[index])), fit);
  }
  const cells = rows.map((row) => row.map((value) => (value === null || value === '' ? '-' : plain(String(value)))));
  const numeric = heads.map((_, column) => cells.some((row) => row[column] !== '-')
    && cells.every((row) => figure.test(row[column] ?? '-')));
  const natural = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const { widths, gap } = fit === undefined || fit.widthMax === null ? { widths: natural, gap: '  ' }
    : fitted(heads, natural, { ...fit, widthMax: fit.widthMax });
  const line = (row: readonly string[]): string => row.map((cell, column) => {
    const width = widths[column]!;
    const shown = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
    return numeric[column] === true ? shown.padStart(width) : shown.padEnd(width);
  }).join(gap).trimEnd();
  return [line(heads), ...cells.map(line)].join('\n');
}

/** What a command that lists things answers. `columns`: what stands for one of them under each head; `none`: the text where there are none. */
export function listed<Each>(
  all: readonly Each[], none: string, columns: Readonly<Record<string, (each: Each) => string | number | null>>, fit: Omit<TableFit, 'widthMax'>,
) {
  const text = (widthMax: number | null): string => table(Object.keys(columns), all.map((each) =>
    Object.values(columns).map((value) => value(each))), { ...fit, widthMax });
  return { json: all, text: all.length === 0 ? none : text };
}

/** With the narrowest gaps, and every column of words as short as allowed. */
function leastWidth(heads: readonly string[], rows: readonly (readonly (string | number | null)[])[], { shrinks }: TableFit): number {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => plain(String(row[column] ?? '-')).length)));
  return widths.reduce((sum, width, column) => sum + 1 + (shrinks.includes(heads[column]!) ? Math.min(width, shrunkWidthMin) : width), -1);
}

function fitted(
  heads: readonly string[], natural: readonly number[], { widthMax, shrinks }: TableFit & { readonly widthMax: number },
): { widths: readonly number[]; gap: string } {
  const text = natural.reduce((sum, width) => sum + width, 0);
  const gaps = natural.length - 1;
  if (text + 2 * gaps <= widthMax) return { widths: natural, gap: '  ' };
  let over = Math.max(0, text + gaps - widthMax);
  const widths = [...natural];
  for (const head of typeof shrinks === 'string' ? [shrinks] : shrinks) {
    const column = heads.indexOf(head);
    if (column < 0) continue;
    const shorter = Math.max(Math.min(natural[column]!, shrunkWidthMin), natural[column]! - over);
    over -= natural[column]! - shorter;
    widths[column] = shorter;
  }
  return { gap: ' ', widths };
}

/** Names and their values, one per line. */
export function fields(entries: readonly (readonly [string, string | number | null])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value === null || value === '' ? '-' : plain(String(value))}`).join('\n');
}

/** Text without anything that a terminal would act on. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

/** An instant to the second; null: none. */
export function secondsText(instant: string): string;
export function secondsText(instant: string | null): string | null;
export function secondsText(instant: string | null): string | null {
  if (instant === null) return null;
  // A year beyond 9999 has more digits and a sign.
  const time = instant.indexOf('T');
  return `${instant.slice(0, time)} ${instant.slice(time + 1, time + 9)}Z`;
}

/** A decimal amount without the zeros at its end. */
export function shortDecimal(amount: string): string {
  return amount.includes('.') ? withoutEnding(withoutEnding(amount, '0'), '.') : amount;
}
