/**
 * An upgrade takes locks of nearly all tables and keeps them until it is committed. Where another session has read one of them in a transaction that
 * lasts, such as a backup or a forgotten one, it would wait for that with these locks held, and nodes would get no leases. So it waits before.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Engine } from '../../engine/engine.ts';

/** A transaction of somebody else that has a lock on a table of the store. */
interface Transaction {
  readonly id: string;
  /** As people find it on their server: `pg_dump (process 4711)`. */
  readonly words: string;
}

/** Transactions of the product are over by then: it ends a statement, and an idle transaction, after ten seconds. */
export const briefMs = 15_000;
const firstLookMs = 100;
const lookMs = 1_000;

interface LastingOptions {
  readonly holders: () => Promise<readonly Transaction[]>;
  /** Called with what is waited for, again and again. */
  readonly waitsFor: (transactions: readonly string[]) => void;
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly nowMs?: () => number;
}

/** Resolves once all transactions that it found at first are over, and none of the later ones lasts. */
export async function waitForLasting(
  { holders, waitsFor, pause = pass, nowMs = () => performance.now() }: LastingOptions,
): Promise<void> {
  const seenMs = new Map<string, number>();
  for (let pauseMs = firstLookMs, isFirst = true; ; pauseMs = lookMs, isFirst = false) {
    const found = await holders();
    for (const { id } of found) if (!seenMs.has(id)) seenMs.set(id, isFirst ? -Infinity : nowMs());
    const lasting = found.filter(({ id }) => nowMs() - seenMs.get(id)! >= briefMs);
    if (lasting.length === 0) return;
    if (!isFirst) waitsFor(lasting.map(({ words }) => words));
    await pause(pauseMs);
  }
}

/**
 * Of PostgreSQL, without any right of an administrator. A vacuum, and one that the server began, gives way by itself or has to be waited for by the
 * locks alone. A prepared transaction has no process.
 */
export function lockHoldersIn(engine: Engine): () => Promise<readonly Transaction[]> {
  return () => engine.read(async (db) => {
    const { rows } = await sql<{ id: string; process: bigint | null; name: string | null }>`select distinct l.virtualtransaction as id,
        l.pid as process, a.application_name as name
      from pg_locks as l join pg_class as c on c.oid = l.relation left join pg_stat_activity as a on a.pid = l.pid
      where l.granted and l.database = (select oid from pg_database where datname = current_database())
        and c.relkind in ('r', 'p') and c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
        and l.mode <> 'ShareUpdateExclusiveLock' and l.pid is distinct from pg_backend_pid()`.execute(db);
    return rows.map(({ id, process, name }) => ({
      id, words: process === null ? 'a prepared transaction' : `${name === null || name === '' ? 'a session' : name} (process ${process})`,
    }));
  });
}
