/**
 * When each service key was last used, to the minute: written with the records, in their transaction. A busy key is written once a minute,
 * not with every batch.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { sql, type Transaction } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';

const finenessMs = 60_000;

export async function applyKeyUse(engine: Engine['kind'], transaction: Transaction<Schema>, records: readonly CallRecord[]): Promise<void> {
  const latest = new Map<string, number>();
  for (const { key, startedAtMs } of records) latest.set(key, Math.max(latest.get(key) ?? 0, Math.floor(startedAtMs)));
  if (latest.size === 0) return;
  const keys = JSON.stringify([...latest].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const used = engine === 'sqlite'
    ? sql`(select json_extract(value, '$[0]') as id, json_extract(value, '$[1]') as at from json_each(${keys}))`
    : sql`(select value->>0 as id, cast(value->>1 as bigint) as at from json_array_elements(cast(${keys} as json)))`;
  await sql`update service_key set last_used_at_ms = used.at from ${used} as used
    where service_key.id = used.id and coalesce(service_key.last_used_at_ms, 0) < used.at - ${sql.lit(finenessMs)}`.execute(transaction);
}
