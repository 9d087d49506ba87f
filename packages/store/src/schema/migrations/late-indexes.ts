/**
 * Indexes over large tables of PostgreSQL. Inside a migration, building one would block every shipper. These are built afterwards, outside a
 * transaction, while records come in. If the build of an index was interrupted, it is dropped and built again.
 */
import { sql } from 'kysely';
import type { Engine } from '../../engine/engine.ts';
import { failedCalls, lackingCost } from '../call-searches.ts';

interface LateIndex {
  readonly name: string;
  readonly on: string;
}

const lateIndexes: readonly LateIndex[] = [
  { name: 'call_record_by_id', on: 'call_record (substr(id, 29, 8))' },
  { name: 'tap_event_by_time', on: 'tap_event (baseline, at_ms)' },
  { name: 'call_record_failed', on: `call_record (organization, started_at_ms, sequence) where ${failedCalls}` },
  { name: 'call_record_lacking_cost', on: `call_record (organization, started_at_ms, sequence) where ${lackingCost}` },
  {
    name: 'call_record_by_connection',
    on: 'call_record (organization, connection, started_at_ms, sequence) where connection is not null',
  },
  { name: 'call_record_by_session', on: 'call_record (organization, session, started_at_ms, sequence) where session is not null' },
  { name: 'call_record_with_session', on: 'call_record (organization, started_at_ms, sequence) where session is not null' },
];
/** Held while they are built. Whoever finds it held skips the building: a statement that waits for the lock would block the building itself. */
const buildingLock = 7_215_003;

/** Only reads the catalogue if all of them exist. @throws StoreFault */
export async function buildLateIndexes(engine: Engine): Promise<void> {
  if (engine.kind === 'sqlite' || await missing(engine) === 0) return;
  await engine.unhurried(async (db) => {
    const { rows: [lock] } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${buildingLock}::bigint) as held`.execute(db);
    if (lock?.held !== true) return;
    for (const { name, on } of lateIndexes) {
      const { rows: [found] } = await sql<{ valid: boolean }>`select i.indisvalid as valid
        from pg_index as i join pg_class as c on c.oid = i.indexrelid where c.relname = ${name} and pg_table_is_visible(c.oid)`.execute(db);
      if (found?.valid === true) continue;
      if (found !== undefined) await sql`drop index concurrently ${sql.ref(name)}`.execute(db);
      await sql`create index concurrently ${sql.ref(name)} on ${sql.raw(on)}`.execute(db);
    }
    await sql`select pg_advisory_unlock(${buildingLock}::bigint)`.execute(db);
  });
}

async function missing(engine: Engine): Promise<number> {
  const { rows: [found] } = await engine.read((db) => sql<{ built: bigint }>`select count(*) as built
    from pg_index as i join pg_class as c on c.oid = i.indexrelid where i.indisvalid and pg_table_is_visible(c.oid)
      and c.relname in (${sql.join(lateIndexes.map(({ name }) => name))})`.execute(db));
  return lateIndexes.length - Number(found?.built ?? 0n);
}
