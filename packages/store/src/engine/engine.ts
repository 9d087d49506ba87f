/**
 * A store address → one open engine, and the three ways to use it: read, write, change settings.
 * Everything goes through these, so that every engine error becomes a `StoreFault`.
 */
import { CompiledQuery, Kysely, PostgresDialect, type RawBuilder, type Transaction, type TransactionBuilder } from 'kysely';
import type { Pool } from 'pg';
import type { ChangeName } from './change.ts';
import { faultOf } from './fault.ts';
import { isRefusal, type StoreRefusal } from './refusal.ts';
import type * as changeNotices from './change-notices.ts';
import type { ChangeNotice, ChangeNotices } from './change-notices.ts';
import { watchCommits } from './commit-watch.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { forcedLater, EmbeddedDialect } from './sqlite-dialect.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { createPipeline, type Transact } from './pipeline.ts';
import type * as postgresPool from './postgres-pool.ts';
import type { RowColumn } from './rows-by-column.ts';
import type { RowValue } from './send.ts';
import type { Schema } from '../schema/schema.ts';

export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  /** Where it is, fit for messages. */
  readonly name: string;
  /** Queries outside a transaction. */
  read<T>(query: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * The rows of one query outside a transaction, each an array in the order of its columns: for reports of many rows, where making an object of each
   * takes longer than finding it. `columns`: what they hold, where they may be thousands, in any order.
   */
  rows(query: RawBuilder<unknown>, columns?: readonly RowColumn[]): Promise<readonly (readonly RowValue[])[]>;
  /**
   * What a fixed text answers to each of `given`, all of one moment on SQLite and there past Kysely, which takes longer than a small question
   * does. For what calls wait for.
   */
  look<Row>(text: string, given: readonly (readonly unknown[])[]): Promise<readonly (readonly Row[])[]>;
  /**
   * Another number than before if anything was committed since, by this process or another one; it may also be another one without that. Takes a few
   * microseconds. Null: the engine does not say (PostgreSQL).
   */
  stateNumber(): Promise<number | null>;
  /**
   * One write transaction, rolled back when `work` throws or returns a refusal. Resolves once the disk has it; others may read it shortly before.
   * `name`: what the audit trail calls it, where the store is an acting one; without it the trail says nothing of it.
   */
  write<T>(work: (transaction: Transaction<Schema>) => Promise<T>, name?: ChangeName<Exclude<T, StoreRefusal>>): Promise<T>;
  /**
   * As `write`, but on SQLite this resolves without a wait for the disk: who answers for it calls `forced` first. The audit trail says nothing of
   * it.
   */
  writeAhead<T>(work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T>;
  /** Resolves when the disk has all that was written so far. */
  forced(): Promise<void>;
  /**
   * Moves what was committed from the log into the file, where 4 MB of it wait. Others read and write meanwhile, but this thread waits for the disk:
   * for one whose work can wait. What nobody moves, a writer moves at 16 MB. PostgreSQL does it by itself.
   */
  checkpoint(): Promise<void>;
  /**
   * One change of settings: a write transaction that has taken the next revision. Since that locks the revision's row,
   * changes run one after the other and commit in the order of their numbers; what `work` reads stays true until its end.
   * A refusal that `work` returns rolls everything back, the revision included. `name`: as for `write`.
   * `before`: in the same transaction, before the revision's row: takes the locks that batches hold, since whoever waits for one with the row holds
   * up all other changes. They are taken in the order of a batch.
   */
  change<T>(
    work: (transaction: Transaction<Schema>, revision: bigint) => Promise<T | StoreRefusal>, name: ChangeName<Exclude<T, StoreRefusal>>,
    before?: (transaction: Transaction<Schema>) => Promise<void>,
  ): Promise<T | StoreRefusal>;
  /** Statements of any duration, such as migrations: on PostgreSQL a separate connection without a time limit. */
  unhurried<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** A write transaction of fixed statements, sent ahead of each other's answers where the engine is distant. The audit trail says nothing of it. */
  readonly transact: Transact;
  /** Tells of changes as they commit: PostgreSQL of all, with what they changed; SQLite of those of other connections, as changes of everything. */
  listen(told: (notice: ChangeNotice) => void): ChangeNotices;
  close(): Promise<void>;
}

/** How an engine is opened. */
interface EngineOptions {
  readonly create: boolean;
  /** One of several, with fewer connections. */
  readonly isCell?: boolean;
  /** Told once, with the server's code, when names of statements are no longer of use. */
  readonly namesLost?: (code: string) => void;
}

/** Opens the engine at `url`. On PostgreSQL the first query dials. @throws StoreFault */
export async function openEngine(url: string, { create, isCell = false, namesLost = () => {} }: EngineOptions): Promise<Engine> {
  const place = parseDatabaseUrl(url);
  try {
    if (place.kind === 'postgres') {
      const server = await serverAt(place.url);
      const pool = isCell ? server.openCellPool(place.url) : server.openPostgresPool(place.url);
      const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
      return engineOn(db, { ...place, server: { ...server, pool, namesLost }, file: null });
    }
    const dialect = new EmbeddedDialect(await openSqliteFile(place.path, { create }));
    return engineOn(new Kysely<Schema>({ dialect }), { ...place, server: null, file: dialect });
  } catch (error) {
    throw faultOf(error, place.name);
  }
}

/** The PostgreSQL driver: loaded only for a server, because every thread that opens an embedded store would hold it for nothing. */
type ServerParts = typeof postgresPool & typeof changeNotices & { readonly url: string };
type Server = ServerParts & { readonly pool: Pool; readonly namesLost: (code: string) => void };

async function serverAt(url: string): Promise<ServerParts> {
  const [pools, notices] = await Promise.all([import('./postgres-pool.ts'), import('./change-notices.ts')]);
  return { ...pools, ...notices, url };
}

/** Carries a refusal out of a transaction that must be rolled back. */
class RolledBack extends Error {
  readonly refusal: StoreRefusal;

  constructor(refusal: StoreRefusal) {
    super('refused');
    this.refusal = refusal;
  }
}

interface Place {
  readonly kind: Engine['kind'];
  readonly name: string;
  /** For change notices and pipelines; null: none. */
  readonly server: Server | null;
  /** SQLite's file; null: none. */
  readonly file: EmbeddedDialect | null;
}

function engineOn(db: Kysely<Schema>, { kind, name, server, file }: Place): Engine {
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw faultOf(error, name);
    }
  };
  const writeBy = async <T>(begin: () => TransactionBuilder<Schema>, work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T> => {
    try {
      return await guarded(() => begin().execute(async (transaction) => {
        const result = await work(transaction);
        if (isRefusal<StoreRefusal>(result)) throw new RolledBack(result);
        return result;
      }));
    } catch (error) {
      // The refusal is the same value that `work` returned, so it is of its type.
      if (error instanceof RolledBack) return error.refusal as never;
      throw error;
    }
  };
  const write: Engine['write'] = (work) => writeBy(() => db.transaction(), work);
  const pipeline = createPipeline(() => server!.openPipelinePool(server!.url), (code) => server!.namesLost(code));
  return {
    kind,
    name,
    transact: (read, work) => guarded(() => (file ?? pipeline).transact(read, work)),
    read: (query) => guarded(() => query(db)),
    rows: (query, columns) => guarded<readonly (readonly RowValue[])[]>(() => {
      const compiled = query.compile(db);
      return file?.rows(compiled) ?? server!.rowsIn(server!.pool, compiled, columns);
    }),
    look: <Row>(text: string, given: readonly (readonly unknown[])[]) => guarded<readonly (readonly Row[])[]>(() => file?.look<Row>(text, given)
      ?? Promise.all(given.map(async (each) => (await db.executeQuery<Row>(CompiledQuery.raw(text, [...each]))).rows))),
    stateNumber: async () => file === null ? null : guarded(() => file.stateNumber()),
    write,
    writeAhead: (work) => file === null ? write(work) : writeBy(() => db.transaction().setIsolationLevel(forcedLater), work),
    forced: async () => file === null ? undefined : guarded(() => file.force()),
    checkpoint: async () => guarded(async () => file?.checkpoint()),
    unhurried: (work) => guarded(async () => {
      if (server === null) return work(db);
      const own = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: server.openUnhurriedPool(server.url) }) });
      try {
        return await work(own);
      } finally {
        await own.destroy();
      }
    }),
    change: (work, _name, before) => write(async (transaction) => {
      await before?.(transaction);
      const { value } = await transaction.updateTable('revision')
        .set((column) => ({ value: column('value', '+', 1n) })).returning('value').executeTakeFirstOrThrow();
      return work(transaction, value);
    }),
    listen: (told) => file === null ? server!.listenForChanges(server!.url, told) : watchCommits(() => file.othersCommits(), told),
    async close() {
      await pipeline.close();
      await db.destroy();
      file?.close();
    },
  };
}
