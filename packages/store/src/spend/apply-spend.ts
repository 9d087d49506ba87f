/**
 * Adds call records to the sums of spend, inside the transaction that stores the records and their mark. So spend always equals the sum of
 * the records (rules: Journal). Sums are kept per subject and day, and over all days, whether or not a cap exists (`spend-days.ts`).
 * A batch is summed in memory first; rows are then written in one fixed order, so that two shippers never deadlock. Sums saturate at the
 * 64-bit bound, since a failing one would block all records behind it.
 */
import type { CapScope } from '@metergate/core/spend/cap.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { lackingCounts, noLackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import { sendRows, type Adding, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import { storable } from '../engine/storable.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import { allDaysMs } from './spend-days.ts';

/** The parts of a record that the sums use. */
export type SpendRecord = Pick<CallRecord, 'organization' | 'key' | 'project' | 'startedAtMs' | 'cost' | 'costGaps' | 'costSource' | 'usage'>
  & Partial<Pick<CallRecord, 'settledBy'>> & { readonly correction?: CountedCorrection };

/** What is counted of a record's correction, and the labels that it counts for. */
interface CountedCorrection {
  readonly amount: bigint;
  readonly labels: readonly string[];
}

/** The scopes that have sums, and a call's subject in each; null: it has none. Empty for an organization. Of the others: `daysSpent`. */
const subjects: { readonly [Scope in Exclude<CapScope, 'person' | 'label'>]: (call: Pick<SpendRecord, 'key' | 'project'>) => string | null } = {
  organization: () => '',
  key: ({ key }) => key,
  project: ({ project }) => (project === null ? null : storable(project)),
};
const scopes = Object.entries(subjects) as readonly [keyof typeof subjects, (typeof subjects)[keyof typeof subjects]][];

/** The counts of calls that a sum has beside the money, under the names of their columns. */
const counts = {
  calls: { column: 'calls', counts: (): boolean => true },
  unknownCalls: { column: 'unknown_calls', counts: lackingCounts.unknownCalls },
  unpricedCalls: { column: 'unpriced_calls', counts: lackingCounts.unpricedCalls },
  gapCalls: { column: 'gap_calls', counts: lackingCounts.gapCalls },
} as const;
type SpendCount = keyof typeof counts;
const spendCounts = Object.keys(counts) as readonly SpendCount[];
const countsOf = Object.entries(counts) as readonly [SpendCount, (typeof counts)[SpendCount]][];

/** The figures of a sum: the money spent, and counts of calls. */
export type SpendFigures = { readonly spent: NanoDollars } & { readonly [Name in SpendCount]: number };
type Figures = { -readonly [Name in keyof SpendFigures]: SpendFigures[Name] };

/** The column of each figure, and the one with the part of it that belongs to records removed for their age. */
export const spendColumns: readonly { readonly name: keyof SpendFigures; readonly kept: string; readonly gone: string }[] = [
  { name: 'spent', kept: 'spent_nano', gone: 'gone_nano' },
  ...countsOf.map(([name, { column }]) => ({ name, kept: column, gone: `gone_${column}` })),
];

export const noSpend: SpendFigures = Object.freeze({ spent: nanoDollars(0n), calls: 0, ...noLackingCalls });

/** Adds to `figures`, or subtracts from them. */
export function addSpend(figures: Figures, other: SpendFigures, sign: 1 | -1 = 1): void {
  figures.spent = nanoDollars(sign === 1 ? figures.spent + other.spent : figures.spent - other.spent);
  for (const name of spendCounts) figures[name] += sign * other[name];
}

/** One sum of spend. */
export interface SpendPlace {
  readonly scope: CapScope;
  /** Empty for an organization. */
  readonly subject: string;
  /** 00:00 UTC, or `allDaysMs`. */
  readonly dayMs: number;
}

/** What one row of `spend_day` gains. */
export interface Addition extends SpendPlace {
  readonly organization: string;
  readonly figures: Figures;
}

/**
 * Adds what `records` spent. Call this in the transaction that stores them, with exactly those that it stores. On SQLite there is no other
 * writer, so no order is needed.
 */
export function applySpend(engine: Engine['kind'], send: Send, records: readonly SpendRecord[]): void {
  sendSpend(engine, send, engine === 'sqlite' ? additionsOf(records) : orderedAdditionsOf(records));
}

/** Adds these to their sums; in the order of the table's key, except on SQLite. */
export function sendSpend(engine: Engine['kind'], send: Send, additions: readonly Addition[]): void {
  sendRows(engine, send, inserts[engine], additions);
}

/** In the order of the table's key. */
export function orderedAdditionsOf(records: readonly SpendRecord[]): Addition[] {
  return additionsOf(records).sort(inOrder);
}

/** What these records add to each sum, in no particular order. */
export function additionsOf(records: readonly SpendRecord[]): Addition[] {
  const all = new Map<string, Addition>();
  for (const { organization, like, dayMs, figures } of daySpendsOf(records)) {
    for (const [scope, subjectOf] of scopes) {
      const subject = subjectOf(like);
      if (subject === null) continue;
      for (const day of [dayMs, allDaysMs]) {
        const name = `${organization}\0${scope}\0${day}\0${subject}`;
        const known = all.get(name);
        if (known === undefined) all.set(name, { organization, scope, subject, dayMs: day, figures: { ...figures } });
        else addSpend(known.figures, figures);
      }
    }
  }
  return [...all.values()];
}

/** What one call adds to a sum. */
export function figuresOf(record: SpendRecord): SpendFigures {
  const figures: Figures = { ...noSpend };
  addCallTo(figures, record);
  return figures;
}

function addCallTo(figures: Figures, record: SpendRecord): void {
  if (record.cost !== null) figures.spent = nanoDollars(figures.spent + record.cost);
  for (const [name, { counts: isCounted }] of countsOf) if (isCounted(record)) figures[name] += 1;
}

/** What calls of one day with the same subjects spent: they are summed first, since a batch mostly has few of these. */
interface DaySpend {
  readonly organization: string;
  /** One of these calls. */
  readonly like: SpendRecord;
  readonly dayMs: number;
  readonly figures: Figures;
}

function daySpendsOf(records: readonly SpendRecord[]): DaySpend[] {
  const all: DaySpend[] = [];
  const known = new Map<string, DaySpend[]>();
  for (const record of records) {
    const { organization, key, project } = record;
    const dayMs = dayOf(record.startedAtMs);
    let ofKey = known.get(key);
    if (ofKey === undefined) known.set(key, ofKey = []);
    let day = ofKey.find((each) => each.dayMs === dayMs && each.like.project === project && each.organization === organization);
    if (day === undefined) {
      day = { organization, like: record, dayMs, figures: { ...noSpend } };
      ofKey.push(day);
      all.push(day);
    }
    addCallTo(day.figures, record);
  }
  return all;
}

/** The order of the table's key. */
export function inOrder(one: Addition, other: Addition): number {
  for (const field of ['organization', 'scope', 'subject', 'dayMs'] as const) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}

export const spendKey: readonly BulkColumn<Addition>[] = [
  { name: 'organization', kind: 'text', value: (a) => a.organization },
  { name: 'scope', kind: 'text', value: (a) => a.scope },
  { name: 'subject', kind: 'text', value: (a) => a.subject },
  { name: 'day_ms', kind: 'whole', value: (a) => a.dayMs },
];
export const keptColumns = spendColumns.map(({ name, kept }): BulkColumn<Addition> =>
  ({ name: kept, kind: 'whole', value: (a) => a.figures[name] }));

/** Adds the new row's columns to those of the row that is there. */
export function addedTo(engine: Engine['kind'], columns: readonly string[]): Adding {
  const least = engine === 'sqlite' ? 'min' : 'least';
  return { key: 'organization, scope, subject, day_ms', set: columns.map((name) => (name.endsWith('_nano')
    ? `${name} = ${least}(spend_day.${name}, 9223372036854775807 - excluded.${name}) + excluded.${name}`
    : `${name} = spend_day.${name} + excluded.${name}`)).join(', ') };
}

function adding(engine: Engine['kind']): BulkInsert<Addition> {
  return {
    table: 'spend_day', columns: [...spendKey, ...keptColumns], adds: addedTo(engine, spendColumns.map(({ kept }) => kept)),
    values: (a) => [a.organization, a.scope, a.subject, a.dayMs, a.figures.spent, ...spendCounts.map((name) => a.figures[name])],
  };
}

const inserts = { sqlite: adding('sqlite'), postgres: adding('postgres') } as const;
