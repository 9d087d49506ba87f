/**
 * Adds call records to the sums of spend, inside the transaction that stores the records and their mark. So spend always equals the sum of
 * the records (rules: Journal). Sums are kept per organization, key and project, in each of the five windows that hold a call's start
 * (rule 5a), whether or not a cap exists.
 * A batch is summed in memory first; rows are then written in one fixed order, so that two shippers never deadlock. Sums saturate at the
 * 64-bit bound, since a failing one would block all records behind it.
 */
import type { CapScope } from '@metergate/core/spend/cap.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { isGapCall, isUnknownCall } from '@metergate/core/spend/spend-sum.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import { calendarWindows, windowAt, type CalendarWindow, type WindowBounds } from '@metergate/core/spend/window.ts';
import { sendRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import { storable } from '../engine/storable.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';

/** The parts of a record that count. */
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

/**
 * Adds what `records` spent. Call this in the transaction that stores them, with exactly those that it stores. On SQLite nobody else writes
 * meanwhile, so that no order is needed.
 */
export function applySpend(engine: Engine['kind'], send: Send, records: readonly SpendRecord[]): void {
  sendRows(engine, send, inserts[engine], engine === 'sqlite' ? additionsOf(records) : orderedAdditionsOf(records));
}

/** In the order of the table's key. */
export function orderedAdditionsOf(records: readonly SpendRecord[]): Addition[] {
  return additionsOf(records).sort(inOrder);
}

/** What each sum gains by these records, in no particular order. */
export function additionsOf(records: readonly SpendRecord[]): Addition[] {
  const all: Addition[] = [];
  const bySubject = new Map<string, Addition[]>();
  const windowsOfDay = new Map<number, readonly NamedWindow[]>();
  const add = (spent: DaySpend, scope: CapScope, subject: string): void => {
    const name = `${spent.organization}\0${scope}\0${subject}`;
    let known = bySubject.get(name);
    if (known === undefined) bySubject.set(name, known = []);
    for (const named of windowsHolding(windowsOfDay, spent.dayMs)) {
      const { window, startMs, endMs } = named;
      const addition = known.find((each) => each.window === window && each.startMs === startMs);
      if (addition !== undefined) {
        addTo(addition, spent);
        continue;
      }
      const { organization, spent: nano, calls, unknownCalls, gapCalls } = spent;
      const first = { organization, scope, subject, window, startMs, endMs, spent: nano, calls, unknownCalls, gapCalls };
      known.push(first);
      all.push(first);
    }
  };
  for (const spent of daySpendsOf(records)) {
    add(spent, 'organization', '');
    add(spent, 'key', spent.key);
    if (spent.project !== null) add(spent, 'project', storable(spent.project));
  }
  return all;
}

interface NamedWindow extends WindowBounds {
  readonly window: CalendarWindow;
}

function windowsHolding(known: Map<number, readonly NamedWindow[]>, dayMs: number): readonly NamedWindow[] {
  let windows = known.get(dayMs);
  if (windows === undefined) known.set(dayMs, windows = calendarWindows.map((window) => ({ window, ...windowAt(window, dayMs) })));
  return windows;
}

interface SpendFigures {
  spent: NanoDollars;
  calls: number;
  unknownCalls: number;
  gapCalls: number;
}

/** What calls of one day, key and project spent. Every window begins and ends with a day, so they are summed first. */
interface DaySpend extends SpendFigures, Pick<SpendRecord, 'organization' | 'key' | 'project'> {
  readonly dayMs: number;
}

function daySpendsOf(records: readonly SpendRecord[]): DaySpend[] {
  const all: DaySpend[] = [];
  const known = new Map<string, DaySpend[]>();
  for (const record of records) {
    const { organization, key, project } = record;
    const dayMs = dayOf(record.startedAtMs);
    let ofKey = known.get(key);
    if (ofKey === undefined) known.set(key, ofKey = []);
    let day = ofKey.find((each) => each.dayMs === dayMs && each.project === project && each.organization === organization);
    if (day === undefined) {
      day = { organization, key, project, dayMs, spent: nanoDollars(0n), calls: 0, unknownCalls: 0, gapCalls: 0 };
      ofKey.push(day);
      all.push(day);
    }
    count(day, record);
  }
  return all;
}

function count(figures: SpendFigures, { cost, costGaps, usage }: SpendRecord): void {
  if (cost !== null) figures.spent = nanoDollars(figures.spent + cost);
  figures.calls += 1;
  if (isUnknownCall(usage)) figures.unknownCalls += 1;
  if (isGapCall(costGaps)) figures.gapCalls += 1;
}

function addTo(figures: SpendFigures, other: SpendFigures): void {
  figures.spent = nanoDollars(figures.spent + other.spent);
  figures.calls += other.calls;
  figures.unknownCalls += other.unknownCalls;
  figures.gapCalls += other.gapCalls;
}

function inOrder(one: Addition, other: Addition): number {
  for (const field of ['organization', 'scope', 'subject', 'window', 'startMs'] as const) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}

export const spendKey: readonly BulkColumn<Addition>[] = [
  { name: 'organization', kind: 'text', value: (a) => a.organization },
  { name: 'scope', kind: 'text', value: (a) => a.scope },
  { name: 'subject', kind: 'text', value: (a) => a.subject },
  { name: 'window', kind: 'text', value: (a) => a.window },
  { name: 'start_ms', kind: 'whole', value: (a) => a.startMs },
];
export const spendColumns: readonly BulkColumn<Addition>[] = [
  ...spendKey,
  { name: 'spent_nano', kind: 'whole', value: (a) => a.spent },
  { name: 'calls', kind: 'whole', value: (a) => a.calls },
  { name: 'unknown_calls', kind: 'whole', value: (a) => a.unknownCalls },
  { name: 'gap_calls', kind: 'whole', value: (a) => a.gapCalls },
];

function adding(least: 'min' | 'least'): BulkInsert<Addition> {
  return { table: 'spend_sum', columns: spendColumns, after: `on conflict (organization, scope, subject, "window", start_ms) do update set
    spent_nano = ${least}(spend_sum.spent_nano, 9223372036854775807 - excluded.spent_nano) + excluded.spent_nano,
    calls = spend_sum.calls + excluded.calls, unknown_calls = spend_sum.unknown_calls + excluded.unknown_calls,
    gap_calls = spend_sum.gap_calls + excluded.gap_calls`,
    values: (a) => [a.organization, a.scope, a.subject, a.window, a.startMs, a.spent, a.calls, a.unknownCalls, a.gapCalls],
  };
}

const inserts = { sqlite: adding('min'), postgres: adding('least') } as const;
