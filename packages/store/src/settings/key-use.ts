/**
 * When each service key was last used, to the minute: written with the records, in their transaction. A busy key is written once a minute,
 * not with every batch.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import { onEach } from '../engine/texts.ts';

const finenessMs = 60_000;

const statements = onEach((engine) => {
  const used = engine === 'sqlite'
    ? "(select json_extract(value, '$[0]') as id, json_extract(value, '$[1]') as at from json_each(?))"
    : '(select value->>0 as id, cast(value->>1 as bigint) as at from json_array_elements(cast($1 as json)))';
  return `update service_key set last_used_at_ms = used.at from ${used} as used
    where service_key.id = used.id and coalesce(service_key.last_used_at_ms, 0) < used.at - ${finenessMs}`;
});

/** Sends one statement for the keys of a batch, in the batch's transaction. */
export function applyKeyUse(engine: Engine['kind'], send: Send, records: readonly CallRecord[]): void {
  const latest = new Map<string, number>();
  for (const { key, startedAtMs } of records) latest.set(key, Math.max(latest.get(key) ?? 0, Math.floor(startedAtMs)));
  if (latest.size === 0) return;
  void send(statements[engine], [JSON.stringify([...latest].toSorted(([a], [b]) => (a < b ? -1 : 1)))]);
}
