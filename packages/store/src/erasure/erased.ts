/**
 * Erasure as shipping sees it: which organizations are erased, what their records keep, and that no erasure begins while a batch is being
 * shipped. Design 3, row 23.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { sql, type Transaction } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';

/** Held shared by every shipment, and alone by an erasure's first transaction: none is under way when it commits. */
export const shippingLock = 7_215_002;

/** A record with its figures alone: what its caller or the provider wrote is not in it. */
export function withoutWords(record: CallRecord): CallRecord {
  return { ...record, project: null, labels: [], run: null, path: '', model: null, finishReason: null, serviceTier: null, providerRequestId: null };
}

/** Which of these are erased. */
export async function erasedAmong(transaction: Transaction<Schema>, organizations: Iterable<string>): Promise<ReadonlySet<string>> {
  const asked = [...new Set(organizations)];
  if (asked.length === 0) return new Set();
  const rows = await transaction.selectFrom('erased_organization').select('organization').where('organization', 'in', asked).execute();
  return new Set(rows.map(({ organization }) => organization));
}

/** To be called first in a shipment's transaction: no erasure begins before it ends. SQLite lets in one writer anyway. */
export async function holdOffErasures(engine: Engine['kind'], transaction: Transaction<Schema>): Promise<void> {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock_shared(${shippingLock}::bigint)`.execute(transaction);
}
