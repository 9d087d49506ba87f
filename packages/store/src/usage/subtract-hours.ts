/**
 * Subtracts call records from the sums of their hours, inside the transaction that removes them. An hour without calls is removed entirely.
 */
import type { HourRecord } from '@metergate/core/report/hour-sum.ts';
import type { Transaction } from 'kysely';
import { deleteRows, insertRows, type BulkColumn, type BulkDelete, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import { hourAdditionsOf, hourAmountMax, hourKey, type HourAddition } from './apply-hours.ts';

/** Two statements for a batch, in the transaction that removes the records. */
export async function subtractHours(engine: Engine['kind'], transaction: Transaction<Schema>, records: readonly HourRecord[]): Promise<void> {
  const left = await insertRows<HourAddition, LeftHour>(engine, transaction, subtractions[engine], hourAdditionsOf(records));
  const empty = left.filter(({ amount }) => amount <= 0n);
  await deleteRows(engine, transaction, emptyFigures, empty);
  await deleteRows(engine, transaction, emptyHours, empty.filter(({ figure }) => figure === 'calls'));
}

interface LeftHour {
  readonly organization: string;
  readonly hour_ms: bigint;
  readonly figure: string;
  readonly amount: bigint;
}

/** As `subtractedOnConflict` of the other sums has it. */
function subtractionOf(greatest: 'max' | 'greatest'): BulkInsert<HourAddition> {
  return {
    table: 'hour_sum', columns: [...hourKey, { name: 'amount', kind: 'whole', value: ({ amount }) => -BigInt(amount) }],
    after: `on conflict (organization, hour_ms, figure) do update
      set amount = case when hour_sum.amount = ${hourAmountMax} then hour_sum.amount else ${greatest}(hour_sum.amount + excluded.amount, 0) end
      returning organization, hour_ms, figure, amount`,
  };
}

const ofHour = [
  { name: 'organization', kind: 'text', value: (row) => row.organization }, { name: 'hour_ms', kind: 'whole', value: (row) => row.hour_ms },
] satisfies readonly BulkColumn<LeftHour>[];
const emptyHours: BulkDelete<LeftHour> = { table: 'hour_sum', key: ofHour };
const emptyFigures: BulkDelete<LeftHour> = {
  table: 'hour_sum', key: [...ofHour, { name: 'figure', kind: 'text', value: (row) => row.figure }],
};
const subtractions = { sqlite: subtractionOf('max'), postgres: subtractionOf('greatest') };
