/**
 * Records of calls → what they add to the sums of spend, inside the transaction that keeps the records and their mark: so
 * spend always equals the sum of the records (design 2, Journal). Sums are kept per organization, key and project, in each
 * of the five windows that hold a call's start (design 3, row 5a), whether or not a cap exists.
 * A batch is summed in memory first; rows are then written in one fixed order, so that two shippers never wait for each other
 * in a circle. Sums stop at the 64-bit bound, since one that failed there would hold up all records behind it.
 */
import type { CapScope } from '@metergate/core/spend/cap.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { isGapCall, isUnknownCall } from '@metergate/core/spend/spend-sum.ts';
import { calendarWindows, windowAt, type CalendarWindow } from '@metergate/core/spend/window.ts';
import { CompiledQuery, type Transaction } from 'kysely';
import { storable } from '../engine/storable.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';

/** What of a record counts. */
export type SpendRecord = Pick<CallRecord, 'organization' | 'key' | 'project' | 'startedAtMs' | 'cost' | 'costGaps' | 'usage'>;

/** What one row of `spend_sum` gains. */
export interface Addition {
  readonly organization: string;
  readonly scope: CapScope;
  /** Empty for an organization. */
  readonly subject: string;
  readonly window: CalendarWindow;
  readonly startMs: number;
  readonly endMs: number | null;
  spent: NanoDollars;
  calls: number;
  unknownCalls: number;
  gapCalls: number;
}

/** Adds what `records` spent. To be called in the transaction that keeps them, with those alone that it keeps. */
export async function applySpend(
  engine: Engine['kind'], transaction: Transaction<Schema>, records: readonly SpendRecord[],
): Promise<void> {
  const additions = additionsOf(records).sort(inOrder);
  let done = 0;
  while (done < additions.length) {
    const left = additions.length - done;
    const size = engine === 'postgres' ? Math.min(left, postgresRowsMax) : (sqliteTuples.find((tuple) => tuple <= left) ?? 1);
    const slice = additions.slice(done, done + size);
    await transaction.executeQuery(engine === 'postgres' ? addColumns(slice) : addTuples(slice));
    done += size;
  }
}

/** What each sum gains by these records. In no order. */
export function additionsOf(records: readonly SpendRecord[]): Addition[] {
  const all: Addition[] = [];
  const bySubject = new Map<string, Addition[]>();
  const add = (record: SpendRecord, scope: CapScope, subject: string): void => {
    const name = `${record.organization}\0${scope}\0${subject}`;
    let known = bySubject.get(name);
    if (known === undefined) bySubject.set(name, known = []);
    for (const window of calendarWindows) {
      let addition = known.find((each) => each.window === window && holds(each, record.startedAtMs));
      if (addition === undefined) {
        const bounds = windowAt(window, record.startedAtMs);
        addition = {
          organization: record.organization, scope, subject, window, ...bounds, spent: nanoDollars(0n), calls: 0, unknownCalls: 0, gapCalls: 0,
        };
        known.push(addition);
        all.push(addition);
      }
      count(addition, record);
    }
  };
  for (const record of records) {
    add(record, 'organization', '');
    add(record, 'key', record.key);
    if (record.project !== null) add(record, 'project', storable(record.project));
  }
  return all;
}

function holds({ startMs, endMs }: Addition, instantMs: number): boolean {
  return instantMs >= startMs && (endMs === null || instantMs < endMs);
}

function count(addition: Addition, { cost, costGaps, usage }: SpendRecord): void {
  if (cost !== null) addition.spent = nanoDollars(addition.spent + cost);
  addition.calls += 1;
  if (isUnknownCall(usage)) addition.unknownCalls += 1;
  if (isGapCall(costGaps)) addition.gapCalls += 1;
}

function inOrder(one: Addition, other: Addition): number {
  for (const field of ['organization', 'scope', 'subject', 'window', 'startMs'] as const) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}

const postgresRowsMax = 1_000;
const sqliteTuples = [64, 8, 1] as const;

interface SumColumn {
  readonly name: string;
  readonly type: 'text' | 'bigint';
  readonly value: (addition: Addition) => string | number | bigint;
}

const columns: readonly SumColumn[] = [
  { name: 'organization', type: 'text', value: (a) => a.organization },
  { name: 'scope', type: 'text', value: (a) => a.scope },
  { name: 'subject', type: 'text', value: (a) => a.subject },
  { name: 'window', type: 'text', value: (a) => a.window },
  { name: 'start_ms', type: 'bigint', value: (a) => a.startMs },
  { name: 'spent_nano', type: 'bigint', value: (a) => a.spent },
  { name: 'calls', type: 'bigint', value: (a) => a.calls },
  { name: 'unknown_calls', type: 'bigint', value: (a) => a.unknownCalls },
  { name: 'gap_calls', type: 'bigint', value: (a) => a.gapCalls },
];
const columnNames = columns.map(({ name }) => `"${name}"`).join(', ');
const added = (least: 'min' | 'least'): string => ` on conflict (organization, scope, subject, "window", start_ms) do update set
  spent_nano = ${least}(spend_sum.spent_nano, 9223372036854775807 - excluded.spent_nano) + excluded.spent_nano,
  calls = spend_sum.calls + excluded.calls, unknown_calls = spend_sum.unknown_calls + excluded.unknown_calls,
  gap_calls = spend_sum.gap_calls + excluded.gap_calls`;

const tuple = `(${columns.map(() => '?').join(', ')})`;
const tupleStatements = new Map<number, string>(sqliteTuples.map((rows) =>
  [rows, `insert into spend_sum (${columnNames}) values ${Array.from({ length: rows }, () => tuple).join(', ')}${added('min')}`]));
const columnStatement = `insert into spend_sum (${columnNames}) select * from unnest(${
  columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})${added('least')}`;

function addTuples(additions: readonly Addition[]): CompiledQuery {
  return CompiledQuery.raw(tupleStatements.get(additions.length)!, additions.flatMap((addition) => columns.map(({ value }) => value(addition))));
}

function addColumns(additions: readonly Addition[]): CompiledQuery {
  return CompiledQuery.raw(columnStatement, columns.map(({ value }) => additions.map(value)));
}
