/**
 * Brings the schema of an open engine to this version: creates or reports a missing one, upgrades or reports an older one, refuses a newer
 * one, and compares the master key. Two processes that start at once take turns; the second finds everything done. Migrations and the store's
 * identity are one transaction: a store that exists at all knows its master key.
 */
import { timingSafeEqual } from 'node:crypto';
import { sql, type Kysely, type Transaction } from 'kysely';
import { StoreFault } from '../../engine/fault.ts';
import { followMasterKey } from '../../sealing/master-key-rotation.ts';
import type { Vault } from '../../sealing/vault.ts';
import type { Engine } from '../../engine/engine.ts';
import { briefMs, lockHoldersIn, waitForLasting } from './lasting-transactions.ts';
import { buildLateIndexes } from './late-indexes.ts';
import { migrations, oldestWriter, statementsOf } from './list.ts';
import { assertNoDependants, upgradeDependants } from './upgrade-dependants.ts';
import type { Schema } from '../schema.ts';

interface Preparation {
  readonly create: boolean;
  readonly vault: Vault;
  readonly randomBytes: (n: number) => Uint8Array;
  /** Called when an older store begins to be upgraded, before each step, and at its end. */
  readonly progress?: (progress: UpgradeProgress) => void;
  /** Called before an older store begins to be upgraded; what it throws leaves everything as it is. */
  readonly beforeUpgrade?: (engine: Engine, from: number) => Promise<void>;
  /** A store whose key was rotated already, as one of several that are rotated one after the other, hands its new key over. */
  readonly follows?: boolean;
}

/** How far an upgrade has come. Versions of the schema: `at` is the one that is being made; null: all are, and the last indexes are built. */
export interface UpgradeProgress {
  readonly from: number;
  readonly to: number;
  readonly at: number | null;
  /** Transactions of others that use its tables and last: nothing has begun before they are over. */
  readonly waitsFor?: readonly string[];
  /** A cell other than the default one. */
  readonly cell?: string;
}

/**
 * SQLite reads a whole table for each column that it gets, and keeps as many pages as this: more than what serves calls, so that the steps after
 * the first find them in memory. The connection is closed after it.
 */
const upgradeCacheKib = 192 * 1024;
/** Each takes at least the second after which PostgreSQL looks for transactions that wait for each other. */
const attemptsMax = 10;

/** @throws StoreFault `store_absent`, `schema_older`, `schema_newer`, `upgrade_held_up`, `wrong_master_key` and the engines' own faults. */
export async function prepareSchema(engine: Engine, preparation: Preparation): Promise<void> {
  const found = await engine.read((db) => schemaVersionIn(engine, db));
  if (found !== null && preparation.follows === true) await engine.read((db) => followMasterKey(db, preparation.vault));
  if (found !== null) await assertMasterKey(engine, preparation.vault);
  assertNotNewer(engine, found);
  if (found === migrations.length) return preparation.create ? buildLateIndexes(engine) : undefined;
  if (!preparation.create) {
    throw found === null
      ? new StoreFault('store_absent',
        `There is no store at ${engine.name}. Run metergate start or metergate platform first, or correct SVC_DATABASE_URL.`)
      : new StoreFault('schema_older',
        `The store at ${engine.name} is of an older version. Run metergate start or metergate platform once to bring it up to date.`);
  }
  if (found !== null) await preparation.beforeUpgrade?.(engine, found);
  await migrateUnderLoad(engine, preparation, found);
  await assertMasterKey(engine, preparation.vault);
  if (found !== null) preparation.progress?.({ from: found, to: migrations.length, at: null });
  await buildLateIndexes(engine);
}

/**
 * A migration of a large store may take long, so it has no time limit. Running gateways write meanwhile. Where one of their transactions and this
 * one wait for each other, the server ends either; this one is then begun again. So it is where it waits for one that lasts and began after it.
 */
async function migrateUnderLoad(engine: Engine, preparation: Preparation, found: number | null): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    if (found !== null && engine.kind === 'postgres') {
      const next = { from: found, to: migrations.length, at: found + 1 };
      await waitForLasting({ holders: lockHoldersIn(engine), waitsFor: (waitsFor) => preparation.progress?.({ ...next, waitsFor }) });
    }
    try {
      if (engine.kind === 'sqlite') await engine.unhurried((db) => sql.raw(`pragma cache_size = -${upgradeCacheKib}`).execute(db));
      return await engine.unhurried((db) => db.transaction().execute((transaction) => migrate(engine, transaction, preparation)));
    } catch (error) {
      const wasEnded = engine.kind === 'postgres' && error instanceof StoreFault && error.code === 'store_busy';
      if (!wasEnded || attempt === attemptsMax) throw error;
    }
  }
}

async function migrate(engine: Engine, transaction: Transaction<Schema>, { vault, randomBytes, progress }: Preparation): Promise<void> {
  if (engine.kind === 'postgres') {
    await sql`select pg_advisory_xact_lock(7215001)`.execute(transaction);
    // Where the schema is a cell on Citus: triggers that only tell of changes may run on its worker. Elsewhere nobody knows the setting.
    await sql`set local citus.enable_unsafe_triggers = on`.execute(transaction);
  }
  const found = await schemaVersionIn(engine, transaction);
  assertNotNewer(engine, found);
  if (found === null && engine.kind === 'sqlite') await assertEmptyFile(engine, transaction);
  if (found !== null) assertNoDependants(engine, await upgradeDependants(engine, transaction, found));
  if (found !== null && engine.kind === 'postgres') {
    await sql`set local lock_timeout = ${sql.lit(briefMs)}`.execute(transaction);
    await holdOffShippers(transaction);
  }
  const version = migrations.length;
  for (let at = (found ?? 0) + 1; at <= version; at += 1) {
    if (found !== null) progress?.({ from: found, to: version, at });
    for (const statement of statementsOf(engine.kind, at)) await sql.raw(statement).execute(transaction);
  }
  if (found === null) {
    const salt = randomBytes(16);
    await transaction.insertInto('metergate_schema').values({ only: 1, version, oldest_writer: oldestWriter }).execute();
    await transaction.insertInto('store_identity').values({ only: 1, salt, fingerprint: vault.fingerprint(salt) }).execute();
  } else {
    await transaction.updateTable('metergate_schema').set({ version, oldest_writer: oldestWriter }).execute();
  }
}

/**
 * A record that is shipped after a migration read the records would be missing from the sums that it makes. A batch begins with this table, so
 * whoever waits for it holds nothing that a migration needs.
 */
async function holdOffShippers(transaction: Transaction<Schema>): Promise<void> {
  await sql`lock table journal_segment in share row exclusive mode`.execute(transaction);
}

/** How many migrations have run; null if there is no store. */
export async function schemaVersionIn(engine: Engine, db: Kysely<Schema>): Promise<number | null> {
  const present = engine.kind === 'sqlite'
    ? sql<{ present: bigint }>`select count(*) as present from sqlite_master where type = 'table' and name = 'metergate_schema'`
    // Reads the catalogue's rows, since functions like to_regclass may answer from what this connection saw before the lock.
    : sql<{ present: bigint }>`select count(*) as present from pg_class where relname = 'metergate_schema' and pg_table_is_visible(oid)`;
  const { rows } = await present.execute(db);
  if (rows[0]?.present !== 1n) return null;
  const row = await db.selectFrom('metergate_schema').select('version').executeTakeFirst();
  return row === undefined ? null : Number(row.version);
}

function assertNotNewer(engine: Engine, found: number | null): void {
  if (found !== null && found > migrations.length) {
    throw new StoreFault('schema_newer',
      `The store at ${engine.name} was written by a newer version (schema ${found}, this one knows ${migrations.length}). `
      + 'Update metergate.');
  }
}

/** A file whose tables are all foreign belongs to another program. A PostgreSQL database may be shared. */
async function assertEmptyFile(engine: Engine, transaction: Transaction<Schema>): Promise<void> {
  const { rows } = await sql<{ tables: bigint }>`select count(*) as tables from sqlite_master`.execute(transaction);
  if (rows[0]?.tables !== 0n) {
    throw new StoreFault('store_unreadable', `The file ${engine.name} is not a metergate store. Name another file, or move this one away.`);
  }
}

async function assertMasterKey(engine: Engine, vault: Vault): Promise<void> {
  const identity = await engine.read((db) => db.selectFrom('store_identity').select(['salt', 'fingerprint']).executeTakeFirst());
  const expected = Buffer.from(identity?.fingerprint ?? '', 'hex');
  const given = Buffer.from(vault.fingerprint(identity?.salt ?? new Uint8Array(0)), 'hex');
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) {
    throw new StoreFault('wrong_master_key',
      `The master key is not the one that the store at ${engine.name} was made with. `
      + 'Give the right SVC_MASTER_KEY, or the right key file.');
  }
}
