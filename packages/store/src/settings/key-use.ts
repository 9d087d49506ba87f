/**
 * When each service key was last used, to the minute: written with the records, in their transaction. A busy key is written once a minute,
 * not with every batch.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';

const finenessMs = 60_000;

const each = `update service_key set last_used_at_ms = ?1 where id = ?2 and coalesce(last_used_at_ms, 0) < ?1 - ${finenessMs}`;
const all = `update service_key set last_used_at_ms = used.at
  from (select value->>0 as id, cast(value->>1 as bigint) as at from json_array_elements(cast($1 as json))) as used
  where service_key.id = used.id and coalesce(service_key.last_used_at_ms, 0) < used.at - ${finenessMs}`;

/** Notes the use of a batch's keys, in the batch's transaction. */
export function applyKeyUse(engine: Engine['kind'], send: Send, records: readonly CallRecord[]): void {
  const latest = new Map<string, number>();
  for (const { key, startedAtMs } of records) latest.set(key, Math.max(latest.get(key) ?? 0, Math.floor(startedAtMs)));
  if (latest.size === 0) return;
  if (engine === 'sqlite') for (const [key, atMs] of latest) void send(each, [atMs, key]);
  else void send(all, [JSON.stringify([...latest].toSorted(([a], [b]) => (a < b ? -1 : 1)))]);
}
