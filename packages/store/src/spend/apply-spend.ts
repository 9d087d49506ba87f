/**
 * Adds call records to the sums of spend, inside the transaction that stores the records and their mark. So spend always equals the sum of
 * the records (design 2, Journal). Sums are kept per organization, key and project, in each of the five windows that hold a call's start
 * (design 3, row 5a), whether or not a cap exists.
 * A batch is summed in memory first; rows are then written in one fixed order, so that two shippers never deadlock. Sums saturate at the
 * 64-bit bound, since a failing one would block all records behind it.
 */
import type { CapScope } from '@metergate/core/spend/cap.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { isGapCall, isUnknownCall } from '@metergate/core/spend/spend-sum.ts';
import { calendarWindows, windowAt, type CalendarWindow } from '@metergate/core/spend/window.ts';
import type { Transaction } from 'kysely';
import { insertRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
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
  await insertRows(engine, transaction, inserts[engine], additionsOf(records).sort(inOrder));
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

const columns: readonly BulkColumn<Addition>[] = [
  { name: 'organization', kind: 'text', value: (a) => a.organization },
  { name: 'scope', kind: 'text', value: (a) => a.scope },
  { name: 'subject', kind: 'text', value: (a) => a.subject },
  { name: 'window', kind: 'text', value: (a) => a.window },
  { name: 'start_ms', kind: 'whole', value: (a) => a.startMs },
  { name: 'spent_nano', kind: 'whole', value: (a) => a.spent },
  { name: 'calls', kind: 'whole', value: (a) => a.calls },
  { name: 'unknown_calls', kind: 'whole', value: (a) => a.unknownCalls },
  { name: 'gap_calls', kind: 'whole', value: (a) => a.gapCalls },
];

function adding(least: 'min' | 'least'): BulkInsert<Addition> {
  return { table: 'spend_sum', columns, after: `on conflict (organization, scope, subject, "window", start_ms) do update set
    spent_nano = ${least}(spend_sum.spent_nano, 9223372036854775807 - excluded.spent_nano) + excluded.spent_nano,
    calls = spend_sum.calls + excluded.calls, unknown_calls = spend_sum.unknown_calls + excluded.unknown_calls,
    gap_calls = spend_sum.gap_calls + excluded.gap_calls` };
}

const inserts = { sqlite: adding('min'), postgres: adding('least') } as const;
