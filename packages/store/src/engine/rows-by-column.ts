/**
 * Many rows of PostgreSQL, sent column by column. Its driver takes longer for each value of a row than the server takes to find it, so the server
 * makes one text of each column, which is read here at once.
 */
import type { RowValue } from './send.ts';

/** What is in a column. Whole numbers have up to 64 bits. */
export type RowColumn = 'text' | 'whole';

/** Bounds the texts: a name has 1,500 bytes at most. */
const rowsMax = 100_000;

/**
 * The statement whose only row has these texts; each is null if there are no rows, or too many. The last column counts them, and stops where they
 * are too many: the server would make the texts of all of them, up to the 1 GB that a value may have, before it dropped them.
 */
export function byColumns(statement: string, columns: readonly RowColumn[]): string {
  const names = columns.map((_kind, index) => `c${index}`);
  // As JSON, texts need no reading of ours. Numbers are quicker as an array.
  const texts = columns.map((kind, index) => (kind === 'text' ? `json_agg(c${index})::text` : `array_agg(c${index})::text`));
  return `select ${texts.map((text) => `case when count(*) <= ${rowsMax} then ${text} end`).join(', ')}, count(*)
    from (select * from (${statement}) as asked limit ${rowsMax + 1}) as found (${names.join(', ')})`;
}

/** The rows that these texts hold. Null: they are too many to be sent so. */
export function rowsOfColumns([...texts]: readonly RowValue[], columns: readonly RowColumn[]): RowValue[][] | null {
  const count = Number(texts.pop());
  if (count === 0) return [];
  if (count > rowsMax) return null;
  const all: readonly (readonly RowValue[])[] = columns.map((kind, index) => (kind === 'text' ? namesIn : numbersIn)(texts[index] as string));
  return Array.from({ length: count }, (_, row) => all.map((values) => values[row]!));
}

/** `text`: `["a", null]`. */
function namesIn(text: string): (string | null)[] {
  return JSON.parse(text) as (string | null)[];
}

/** `text`: `{1,2,NULL}`. */
function numbersIn(text: string): (number | bigint | null)[] {
  const inner = text.slice(1, -1);
  const values = JSON.parse(`[${inner.includes('N') ? inner.replaceAll('NULL', 'null') : inner}]`) as (number | null)[];
  // A number that no double holds is rare.
  if (values.every((value) => value === null || Number.isSafeInteger(value))) return values;
  return inner.split(',').map((value) => (value === 'NULL' ? null : numberOfText(value)));
}

/** A double holds every number of fifteen digits exactly. */
export function numberOfText(text: string): number | bigint {
  return text.length <= 15 ? Number(text) : BigInt(text);
}
