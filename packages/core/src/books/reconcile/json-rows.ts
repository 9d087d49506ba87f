/**
 * JSON exports → their buckets or rows. Pages are joined: one page, a list of pages, or a page for each line. A file whose last page says that
 * there is more is not the whole export.
 */
import { BillFault } from './bill-fault.ts';
import { jsonExtent } from '../../json/json-extent.ts';
import { columnName, billRowsMax, tooManyBillRows, type ExportRow } from './csv-rows.ts';

export type JsonMembers = Readonly<Record<string, unknown>>;

/** What a text may build before its rows are looked at: two thousand lines of a page have some thirty thousand. */
const valuesMax = 1_000_000;

/** Every page or row of the text: the values of a list, or of each line, or the one value. */
export function valuesIn(text: string): JsonMembers[] {
  if (jsonExtent(new TextEncoder().encode(text), valuesMax).values > valuesMax) {
    throw new BillFault(`The file has more than ${valuesMax} values. Compare it in parts, by days for example.`);
  }
  const value = parsed(text) ?? lines(text);
  if (value === null) throw new BillFault('The file is not JSON, though it begins like it.');
  const values = Array.isArray(value) ? value : [value];
  if (values.length > billRowsMax) throw tooManyBillRows();
  if (!values.every(isObject)) throw new BillFault('The file is JSON, but not a list of objects.');
  return values;
}

/** The lists `data` of all pages, joined; null: these are no pages. */
export function joinedPages(values: readonly JsonMembers[]): JsonMembers[] | null {
  if (values.length === 0 || !values.every((page) => Array.isArray(page.data) || 'results' in page)) return null;
  if (values.at(-1)!.has_more === true) {
    throw new BillFault('The file is not the whole export: its last page says that there is more. Put all pages in one JSON array.');
  }
  const joined: JsonMembers[] = [];
  const known = new Set<string>();
  for (const page of values) {
    for (const each of Array.isArray(page.data) ? page.data as unknown[] : [page]) {
      if (!isObject(each)) return null;
      if (Array.isArray(each.results) && each.results.length > 0) {
        const text = JSON.stringify(each);
        if (known.has(text)) throw doubledPage(each);
        known.add(text);
      }
      joined.push(each);
    }
  }
  return joined;
}

/** Two buckets that are the same to the last figure: a page was put into the file twice, or the file into itself. */
function doubledPage({ start_time: seconds, starting_at: start }: JsonMembers): BillFault {
  const from = typeof seconds === 'number' ? new Date(Math.min(Math.max(seconds, 0), 8e12) * 1_000).toISOString() : textOf(start) ?? 'some time';
  return new BillFault(`The file has the bucket from ${from.slice(0, 40)} twice, with the same results. Put each page into it once.`);
}

/** A JSON object as a row: `{"sku":{"description":…}}` has `sku_description`. */
export function rowOfMembers(members: JsonMembers): ExportRow {
  const found = new Map<string, unknown>();
  const take = (value: JsonMembers, prefix: string, depth: number): void => {
    for (const [name, each] of Object.entries(value)) {
      const whole = columnName(prefix === '' ? name : `${prefix}_${name}`);
      if (isObject(each) && depth < 3) take(each, whole, depth + 1);
      else if (!found.has(whole)) found.set(whole, typeof each === 'number' ? String(each) : each);
    }
  };
  take(members, '', 0);
  return { get: (name) => found.get(name) };
}

export function isObject(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that says something; null: none. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** One value for each line, as data warehouses export; null: a line is not one. */
function lines(text: string): unknown[] | null {
  const found: unknown[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const value = parsed(line);
    if (value === null) return null;
    found.push(value);
  }
  return found.length === 0 ? null : found;
}
