/**
 * Notes in the sums of spend that records were removed for their age. What they spent still counts, so that no cap is refunded. How much of a sum
 * belongs to them is stored beside it, so that the sum can still be checked.
 */
import type { Transaction } from 'kysely';
import { deleteRows, insertRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import { addedTo, figureColumns, keptColumns, orderedAdditionsOf, spendKey, type Addition, type SpendRecord } from './apply-spend.ts';
import { allDaysMs, longestStartMs } from './spend-days.ts';

/**
 * Call this in the transaction that removes the records. Of their subjects, days without a record are removed once every window that holds
 * them was over at `endedMs`.
 */
export async function noteGone(
  engine: Engine['kind'], transaction: Transaction<Schema>, records: readonly SpendRecord[], endedMs: number,
): Promise<void> {
  const additions = orderedAdditionsOf(records);
  await insertRows(engine, transaction, inserts[engine], additions);
  await deleteRows(engine, transaction, {
    table: 'spend_day', key: spendKey.slice(0, 3), only: `day_ms > ${allDaysMs} and day_ms < ${longestStartMs(endedMs)} and gone_calls >= calls`,
  }, additions.filter(({ dayMs }) => dayMs === allDaysMs));
}

/** If a sum is missing, it is created from the removed records alone. */
function notingGone(engine: Engine['kind']): BulkInsert<Addition> {
  const gone = figureColumns.map(({ name, gone: column }): BulkColumn<Addition> => ({ name: column, kind: 'whole', value: (a) => a.figures[name] }));
  return { table: 'spend_day', columns: [...spendKey, ...keptColumns, ...gone], after: addedTo(engine, gone.map(({ name }) => name)) };
}

const inserts = { sqlite: notingGone('sqlite'), postgres: notingGone('postgres') } as const;
