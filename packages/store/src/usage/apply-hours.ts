/**
 * Adds call records to the sums of their hours, inside the transaction that stores the records and their mark. On PostgreSQL rows are written in
 * one fixed order, so that two shippers never deadlock.
 */
import { hourMs, reportHourFigures, type HourRecord } from '@metergate/core/report/hour-sum.ts';
import { addWhole, type WholeFigure } from '@metergate/core/report/usage-sum.ts';
import { sendRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import { onBoth } from '../engine/texts.ts';

export interface HourAddition {
  readonly organization: string;
  readonly hourMs: number;
  readonly figure: string;
  amount: WholeFigure;
}

/** Adds the sums of `records`. Call this in the transaction that stores them, with exactly those that it stores. */
export function applyHours(engine: Engine['kind'], send: Send, records: readonly HourRecord[]): void {
  sendRows(engine, send, inserts[engine], engine === 'sqlite' ? additionsOf(records) : hourAdditionsOf(records));
}

/** Subtracts from one figure of an hour, which is removed when nothing is left of it. */
export function subtractHour(engine: Engine['kind'], send: Send, { organization, hourMs: hour, figure, amount }: HourAddition): void {
  void send(lessOfHour[engine], [BigInt(amount), organization, hour, figure]);
  void send(noneOfHour[engine], [organization, hour, figure]);
}

const lessOfHour = onBoth('update hour_sum set amount = amount - $1 where organization = $2 and hour_ms = $3 and figure = $4');
const noneOfHour = onBoth('delete from hour_sum where organization = $1 and hour_ms = $2 and figure = $3 and amount <= 0');

/** A sum stops at the 64-bit bound: an overflow error would hold up all records behind it. */
export const hourAmountMax = 2n ** 63n - 1n;

/** In the order of the table's key. */
export function hourAdditionsOf(records: readonly HourRecord[]): HourAddition[] {
  return additionsOf(records).sort(inOrder);
}

function additionsOf(records: readonly HourRecord[]): HourAddition[] {
  const all: HourAddition[] = [];
  const known = new Map<string, Map<number, Map<string, HourAddition>>>();
  for (const record of records) {
    const { organization, startedAtMs } = record;
    const hour = startedAtMs - startedAtMs % hourMs;
    const ofHour = figuresOf(known, organization, hour);
    reportHourFigures(record, (figure, amount) => {
      const addition = ofHour.get(figure);
      if (addition !== undefined) {
        addition.amount = addWhole(addition.amount, amount);
        return;
      }
      const first = { organization, hourMs: hour, figure, amount };
      ofHour.set(figure, first);
      all.push(first);
    });
  }
  return all;
}

function figuresOf(
  known: Map<string, Map<number, Map<string, HourAddition>>>, organization: string, hour: number,
): Map<string, HourAddition> {
  let hours = known.get(organization);
  if (hours === undefined) known.set(organization, hours = new Map());
  let figures = hours.get(hour);
  if (figures === undefined) hours.set(hour, figures = new Map());
  return figures;
}

function inOrder(one: HourAddition, other: HourAddition): number {
  for (const field of ['organization', 'hourMs', 'figure'] as const) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}

export const hourKey: readonly BulkColumn<HourAddition>[] = [
  { name: 'organization', kind: 'text', value: (row) => row.organization }, { name: 'hour_ms', kind: 'whole', value: (row) => row.hourMs },
  { name: 'figure', kind: 'text', value: (row) => row.figure },
];

function insertOf(least: 'min' | 'least'): BulkInsert<HourAddition> {
  return {
    table: 'hour_sum',
    columns: [...hourKey, { name: 'amount', kind: 'whole', value: (row) => row.amount }],
    adds: { key: 'organization, hour_ms, figure', set: `amount = ${least}(hour_sum.amount, ${hourAmountMax} - excluded.amount) + excluded.amount` },
  };
}

const inserts = { sqlite: insertOf('min'), postgres: insertOf('least') };
