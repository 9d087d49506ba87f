/**
 * Removes call records of one organization, and in the same transaction what they added to every sum. So reports equal the records that are
 * left, even if the process dies in between. What they spent still counts as spent (`noteGone`).
 */
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { sql, type RawBuilder, type Selectable, type Transaction } from 'kysely';
import { callRecordOf } from '../calls/call-row.ts';
import { sequenceIn } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { CallRecordTable, Schema } from '../schema/schema.ts';
import { dropCallCorrections } from '../spend/call-corrections.ts';
import { noteGone, type GoneRecord } from '../spend/note-gone.ts';
import { subtractHours } from '../usage/subtract-hours.ts';
import { subtractUsage } from '../usage/subtract-usage.ts';

type Row = Selectable<CallRecordTable>;
/** The columns of a record that are read before it is removed. */
const asked = ['sequence', 'run', 'receipt_sequence', 'started_at_ms'] as const;
export type OldCall = Pick<Row, (typeof asked)[number]>;

/** Records with receipts up to `through`, in the order of the chain. */
export async function chainedRecords(
  transaction: Transaction<Schema>, organization: string,
  { after, through, limit }: { readonly after: bigint; readonly through: bigint; readonly limit: number },
): Promise<readonly OldCall[]> {
  return transaction.selectFrom('call_record').select(asked).where('organization', '=', organization)
    .where('receipt_sequence', '>', after).where('receipt_sequence', '<=', through).orderBy('receipt_sequence').limit(limit).execute();
}

/** Records older than receipts that started before `youngMs`. */
export async function unchainedRecords(
  transaction: Transaction<Schema>, organization: string, { youngMs, limit }: { readonly youngMs: number; readonly limit: number },
): Promise<readonly OldCall[]> {
  return transaction.selectFrom('call_record').select(asked).where('organization', '=', organization)
    .where('receipt_sequence', 'is', null).where('started_at_ms', '<', BigInt(Math.ceil(youngMs)))
    .orderBy('started_at_ms').orderBy('sequence').limit(limit).execute();
}

/** Notes on live runs among these who began them, since that record goes. Call it before locking a chain: shippers lock runs first. */
export async function keepBeginnings(transaction: Transaction<Schema>, organization: string, calls: readonly OldCall[]): Promise<void> {
  const named = [...new Set(calls.map(({ run }) => run).filter((run) => run !== null))].sort();
  if (named.length === 0) return;
  const live = await transaction.selectFrom('run').select('id').where('organization', '=', organization).where('id', 'in', named)
    .where('state', '=', 'live').where('began_by', 'is', null).orderBy('id').execute();
  for (const { id } of live) {
    const first = await transaction.selectFrom('call_record').select('key').where('organization', '=', organization).where('run', '=', id)
      .orderBy('started_at_ms').orderBy('sequence').limit(1).executeTakeFirst();
    if (first !== undefined) {
      await transaction.updateTable('run').set({ began_by: first.key }).where('organization', '=', organization).where('id', '=', id).execute();
    }
  }
}

/** Returns how many were removed. `youngMs`: spend sums of windows that ended by then go with their last record. */
export async function removeRecords(
  engine: Engine['kind'], transaction: Transaction<Schema>, calls: readonly OldCall[], youngMs: number,
): Promise<number> {
  const sequences = calls.map(({ sequence }) => sequence);
  const { rows } = await (sql`delete from call_record where ${sequenceIn(engine, sequences)} returning *` as RawBuilder<Row>).execute(transaction);
  const records: CallRecord[] = rows.map(callRecordOf);
  const counted = await dropCallCorrections(engine, transaction, sequences);
  await noteGone(engine, transaction, records.map((record, index) => asSpent(record, counted.get(BigInt(rows[index]!.sequence)))), youngMs);
  await subtractUsage(engine, transaction, records, rows.map(({ attribution }) => Number(attribution)));
  await subtractHours(engine, transaction, records);
  return rows.length;
}

/** With what caps count of its correction: it is not refunded either. */
function asSpent(record: CallRecord, counted: bigint | undefined): GoneRecord {
  return counted === undefined ? record : { ...record, cost: nanoDollars((record.cost ?? 0n) + counted), counted };
}
