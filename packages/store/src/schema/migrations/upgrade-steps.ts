/**
 * What each step of an upgrade does, in words, and whether it reads every record. It is apart from the migrations: the main thread of a server says
 * it.
 */

/** One migration that has not run. */
export interface UpgradeStep {
  /** The version of the schema that it makes. */
  readonly version: number;
  readonly words: string;
  /** It reads every record. */
  readonly readsRecords: boolean;
}

/**
 * Migrations that read every record, with the microseconds that each record took them on SQLite on a busy machine (`bench/upgrade.ts`). On
 * PostgreSQL a new column reads nothing, and the rest takes about as long.
 */
const overRecords: ReadonlyMap<number, { readonly words: string; readonly usOfRecord: number }> = new Map([
  [2, { words: 'sums of spend from the records', usOfRecord: 26 }],
  [7, { words: 'sums of usage from the records', usOfRecord: 29 }],
  [11, { words: 'which costs have gaps', usOfRecord: 6 }],
  [13, { words: 'what records have in common is numbered, and summed', usOfRecord: 140 }],
  [15, { words: 'columns of records for receipts', usOfRecord: 10 }],
  [17, { words: 'sums by hour from the records', usOfRecord: 28 }],
  [19, { words: 'an index of records by id', usOfRecord: 2 }],
  [23, { words: 'sums of labels by month', usOfRecord: 6 }],
  [26, { words: 'the hours of labels', usOfRecord: 2 }],
  [28, { words: 'indexes of records for searches', usOfRecord: 2 }],
  [31, { words: 'sums of spend by day', usOfRecord: 3 }],
  [32, { words: 'sums of usage by hour from the records', usOfRecord: 15 }],
  [33, { words: 'calls without a price, counted from the records', usOfRecord: 2 }],
  [34, { words: 'columns of records for models that were asked for', usOfRecord: 7 }],
  [36, { words: 'columns of records for transports', usOfRecord: 6 }],
  [39, { words: 'a column and an index of records for sessions', usOfRecord: 3 }],
  [42, { words: 'columns of records for work that goes on', usOfRecord: 9 }],
  [44, { words: 'sums of sets of labels from the records', usOfRecord: 23 }],
  [48, { words: 'an index of records by connection', usOfRecord: 1 }],
  [58, { words: 'sums of labels by hour from the records', usOfRecord: 20 }],
  [64, { words: 'an index of the records that have a session', usOfRecord: 0.25 }],
  [66, { words: 'an index of the records that have a run', usOfRecord: 4 }],
]);
const otherWords = 'tables and columns; no record is read';
/** Of a migration that reads no record. */
export const secondsOfStep = 0.05;

/** What the step to this version does, and whether it reads every record. */
export function upgradeStep(version: number): UpgradeStep {
  const over = overRecords.get(version);
  return { version, words: over?.words ?? otherWords, readsRecords: over !== undefined };
}

/** About how long a record takes the step to this version. */
export function usOfRecord(version: number): number {
  return overRecords.get(version)?.usOfRecord ?? 0;
}
