/**
 * Erasure as shipping sees it: which organizations are erased, what their records keep, and that no erasure begins while a batch is being
 * shipped. Rule 23.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import { onEach, wordsFrom, wordsGiven } from '../engine/texts.ts';

/** Held shared by every shipment, and alone by an erasure's first transaction: none is under way when it commits. */
export const shippingLock = 7_215_002;

/** A record with its figures alone: what its caller or the provider wrote is not in it. */
export function withoutWords(record: CallRecord): CallRecord {
  const { countedFor: _, ...kept } = record;
  return { ...kept, project: null, labels: [], run: null, path: '', model: null, requestedModel: null, finishReason: null,
    serviceTier: null, providerRequestId: null, session: null, works: [] };
}

const erased = onEach((engine) => `select organization from erased_organization where organization in ${wordsGiven(engine)}`);

/** Which of these are erased. */
export async function erasedAmong(engine: Engine['kind'], send: Send, organizations: Iterable<string>): Promise<ReadonlySet<string>> {
  const asked = [...new Set(organizations)];
  if (asked.length === 0) return new Set();
  const rows = await send<{ readonly organization: string }>(erased[engine], [wordsFrom(engine, asked)]);
  return new Set(rows.map(({ organization }) => organization));
}

/** As `holdOffErasures`, and no other shipment is under way either. */
export function shipAlone(engine: Engine['kind'], send: Send): void {
  if (engine === 'postgres') void send('select pg_advisory_xact_lock($1::bigint)', [shippingLock]);
}

/** To be sent first in a shipment's transaction: no erasure begins before it ends. SQLite lets in one writer anyway. */
export function holdOffErasures(engine: Engine['kind'], send: Send): void {
  if (engine === 'postgres') void send('select pg_advisory_xact_lock_shared($1::bigint)', [shippingLock]);
}
