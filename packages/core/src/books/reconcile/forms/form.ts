/** What a form of export is, and what reading one row or bucket of it gives. */
import type { BillLine, BilledOperation } from '../bill.ts';
import { dayOfBucket, instantOf, startIsMissing, type BillDay } from '../bill-days.ts';
import type { ExportRow } from '../csv-rows.ts';
import { hoursOfRows, pacificDay } from '../hours-of-rows.ts';
import type { JsonMembers } from '../json-rows.ts';

export interface ReadLine {
  readonly line: BillLine;
  readonly bucket: BillDay;
  /** Decimal places of its amount; null: it has none. */
  readonly places: number | null;
  /** Which operation it counts; absent: the export does not tell them apart. */
  readonly operation?: BilledOperation;
  /** The currency of an amount that was left out. */
  readonly otherCurrency?: string;
}

/** An export in rows: CSV, or JSON objects with the same members. */
export interface RowForm {
  /** What it is, for the sentence about a file of no known form. */
  readonly title: string;
  /** Columns that it must have, each by one of these names. */
  readonly columns: readonly (readonly string[])[];
  /** Its columns of when a row begins and ends, if its rows may be of hours. */
  readonly times?: readonly [start: readonly string[], end: readonly string[]];
  /** Null: the row is not about models. */
  readonly read: (row: ExportRow, bucketOf: BucketOfRow) => ReadLine | null;
}

/** The day of a row, by its columns of when it begins and ends. */
type BucketOfRow = (start: unknown, end?: unknown) => BillDay;

/** An export in pages of buckets of time, JSON. */
interface PageForm {
  readonly title: string;
  readonly bucketOf: (bucket: JsonMembers) => BillDay;
  /** Null: the result is of no known kind. */
  readonly read: (bucket: BillDay, result: JsonMembers) => ReadLine | null;
}

/** All forms in which a seller exports what it charged. */
export interface SellerForms {
  readonly pages: PageForm | null;
  readonly rows: readonly RowForm[];
  /** Its amounts of models are without tools, which have separate lines. */
  readonly itemsApart: boolean;
  /** Its days are those of Pacific time, whose hours its rows name in UTC. */
  readonly pacificDays?: true;
}

export const nothingBilled = { name: null, item: null, requestId: null, counts: {}, cost: null } as const satisfies Omit<BillLine, 'day'>;

/** The first column of these that has a value. */
export function firstOf(row: ExportRow, names: readonly string[]): unknown {
  for (const name of names) {
    const value = row.get(name);
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

/** A day has 23 hours at least. */
const wholeDayMs = 82_800_000;

/** The bucket of a row: from a time, up to another if it is known. Rows of dates are whole days. */
export function bucketOfRow(start: unknown, end?: unknown): BillDay {
  const from = instantOf(start);
  const to = instantOf(end);
  if (from === null) throw startIsMissing();
  const { fromMs, toMs, day } = dayOfBucket(from.ms, to?.ms ?? null, from.offsetMs);
  // Rows leave out hours without usage, so the day is compared as a whole.
  return to === null || toMs - fromMs >= wholeDayMs ? { day, fromMs, toMs } : dayOfBucket(from.ms, null, from.offsetMs);
}

/** The same for a seller of Pacific days. Rows of days stay as they are: their day is the one that whoever added them up chose. */
export function pacificBucketOfRow(start: unknown, end?: unknown): BillDay {
  const bucket = bucketOfRow(start, end);
  return hoursOfRows([[start, end]]) === null ? bucket : pacificDay(instantOf(start)!.ms);
}

/** When a bucket of ISO 8601 begins, and when it ends. */
export function isoBucket(start: unknown, end: unknown): BillDay {
  const from = instantOf(start);
  return dayOfBucket(from?.ms ?? Number.NaN, instantOf(end)?.ms ?? null, from?.offsetMs ?? null);
}
