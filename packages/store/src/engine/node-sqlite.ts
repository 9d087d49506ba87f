/**
 * A file → a Kysely dialect on `node:sqlite`; the only file of the store's SQL that touches that module.
 * Every open connection has its pragmas set and read back: WAL, synchronous FULL (a shipped batch must outlive the
 * journal segment that is unlinked for it), foreign keys on, what is deleted overwritten, 5 s of patience with other processes.
 * Integers come back as `bigint`, whatever their size, as they do from PostgreSQL.
 * If the file cannot be used, the engine's own error is thrown, or a `StoreFault` where SQLite would be silent.
 */
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler,
  type CompiledQuery, type DatabaseConnection, type Dialect, type Driver, type QueryResult, type TransactionSettings,
} from 'kysely';
import { giveWay } from '../give-way.ts';
import { StoreFault } from './fault.ts';
import type { Transact } from './pipeline.ts';
import { sendingAtOnce } from './send.ts';
import { SqliteTurns } from './sqlite-turns.ts';

const busyTimeoutMs = 5_000;
const statementsMax = 200;
const sqliteBusy = 5;
const sqliteLocked = 6;
const modeTryMs = 5;
/** SQLite before this could corrupt a WAL database when it was reset under two connections. */
const sqliteVersionFloor = [3, 51, 3] as const;

/** Opens the file, makes it (mode 0600) when `create`, and returns a connection in its proper modes. */
export async function openSqliteFile(path: string, { create }: { readonly create: boolean }): Promise<DatabaseSync> {
  assertUsable(path, create);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    assertVersion(database);
    await enterWal(database);
    const pragmas = { synchronous: 2n, foreign_keys: 1n, secure_delete: 1n, busy_timeout: BigInt(busyTimeoutMs) };
    for (const [name, value] of Object.entries(pragmas)) {
      database.exec(`pragma ${name} = ${value}`);
      if (pragma(database, name) !== value) throw new StoreFault('store_failed', `SQLite did not take ${name} = ${value} on ${path}.`);
    }
    database.exec('pragma journal_size_limit = 67108864');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite opens what it may not write as read-only without a word, and makes missing files: both are asked first. */
function assertUsable(path: string, create: boolean): void {
  const directory = dirname(path);
  if (!existsSync(path)) {
    if (!create) {
      throw new StoreFault('store_absent', `There is no store at ${path}. Run metergate start first, or correct SVC_DATABASE_URL.`);
    }
    if (!existsSync(directory)) throw unreadable(`The directory ${directory} does not exist. Make it, or name another place.`);
    if (!statSync(directory).isDirectory()) throw unreadable(`The path ${directory} is not a directory. Name another place.`);
  } else if (!statSync(path).isFile()) {
    throw unreadable(`The path ${path} is not a file. Name the file of the store.`);
  }
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    else closeSync(openSync(path, 'a', 0o600));
  } catch {
    throw unreadable(`The store at ${path} cannot be opened for reading and writing. Check the rights of the file and of its directory.`);
  }
  if (statSync(path).nlink > 1) {
    throw unreadable(`The store at ${path} has another name on this disk, a hard link. SQLite would keep a log for each name, and the two would `
      + 'damage the store. Remove the other name, or put a copy of the file in the place of this one.');
  }
}

function unreadable(message: string): StoreFault {
  return new StoreFault('store_unreadable', message);
}

function assertVersion(database: DatabaseSync): void {
  const { version } = database.prepare('select sqlite_version() as version').get() as { version: string };
  const parts = version.split('.').map(Number);
  for (const [index, floor] of sqliteVersionFloor.entries()) {
    const part = parts[index] ?? 0;
    if (part > floor) return;
    if (part < floor) {
      throw new StoreFault('store_failed',
        `This Node brings SQLite ${version}; ${sqliteVersionFloor.join('.')} or later is needed. Update Node.`);
    }
  }
}

/** Changing the mode needs the file alone and does not always heed the busy timeout, so two first starts take turns here. */
function enterWal(database: DatabaseSync): Promise<void> {
  return whenNotBusy(() => {
    if (pragma(database, 'journal_mode') === 'wal' || pragma(database, 'journal_mode = wal') === 'wal') return;
    throw new StoreFault('store_failed', 'SQLite did not enter WAL mode; the file system may not support it.');
  });
}

/** Tries again and again while another connection holds the lock, for as long as the busy timeout. */
async function whenNotBusy(attempt: () => void): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += modeTryMs) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= busyTimeoutMs) throw error;
      await new Promise((resume) => setTimeout(resume, modeTryMs));
    }
  }
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  return code === sqliteBusy || code === sqliteLocked;
}

function pragma(database: DatabaseSync, text: string): unknown {
  const statement = database.prepare(`pragma ${text}`);
  statement.setReadBigInts(true);
  return Object.values(statement.get() ?? {})[0];
}

/**
 * A write transaction that gives the lock back before the disk has what it wrote. Others may read it by then. SQLite knows one isolation level,
 * so the name is free for that. Whoever asks for it calls `NodeSqliteDialect.force` afterwards.
 */
export const forcedLater = 'read uncommitted';

/** Kysely on one `DatabaseSync`. Who uses it when is decided here, not by Kysely: reads go on while a writer waits for the lock. */
export class NodeSqliteDialect implements Dialect {
  readonly #database: DatabaseSync;
  readonly #driver: NodeSqliteDriver;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#driver = new NodeSqliteDriver(database);
  }

  /** Past Kysely, which takes as long for a statement as SQLite does: for transactions of many. */
  readonly transact: Transact = (read, write) => this.#driver.transact(read, write);

  /** See `Engine.look`. */
  look<Row>(text: string, given: readonly (readonly unknown[])[]): Promise<Row[][]> {
    return this.#driver.look(text, given);
  }

  /** Resolves when the disk has all that was committed so far. */
  async force(): Promise<void> {
    // A log that is gone was written into the file, which was forced, before it went.
    const log = await open(`${this.#database.location()!}-wal`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (log === undefined) return;
    try {
      await log.datasync();
    } finally {
      await log.close();
    }
  }

  /** Kysely closes what it used itself. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  createDriver(): Driver {
    return this.#driver;
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new TakingTurns();
  }

  createIntrospector(db: ConstructorParameters<typeof SqliteIntrospector>[0]): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

class TakingTurns extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #turns = new SqliteTurns();
  readonly #statements: Statements;
  /** Transactions that are to be forced later, until they end. */
  readonly #later = new WeakSet<DatabaseConnection>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = new Statements(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new NodeSqliteConnection(this.#statements, this.#turns);
  }

  readonly transact: Transact = async (read, write) => {
    const connection = await this.acquireConnection();
    await this.beginTransaction(connection, {});
    try {
      const { send, all } = sendingAtOnce((sql, parameters) => {
        giveWay();
        return this.#statements.answer(sql, parameters);
      });
      const result = write(send, await read(send));
      await all();
      await this.commitTransaction(connection);
      return result;
    } catch (error) {
      await this.rollbackTransaction(connection);
      throw error;
    }
  };

  /** Nothing comes between its statements, on this thread; where there are several, a transaction holds off other connections' writes. */
  async look<Row>(text: string, given: readonly (readonly unknown[])[]): Promise<Row[][]> {
    const user = {};
    while (this.#turns.isTaken(user)) await this.#turns.changed();
    const answers = (): Row[][] => given.map((each) => this.#statements.answer(text, each) as Row[]);
    if (given.length <= 1) return answers();
    this.#statements.answer('begin', []);
    try {
      return answers();
    } finally {
      // On some faults SQLite has ended it itself.
      if (this.#database.isTransaction) this.#statements.answer('commit', []);
    }
  }

  /**
   * Writers queue here: a lock that is taken later in a transaction can only fail, not wait. They wait without holding
   * the thread, since SQLite's own waiting would stop everything else on it, and whoever holds the lock may be there.
   */
  async beginTransaction(connection: DatabaseConnection, { accessMode, isolationLevel }: TransactionSettings): Promise<void> {
    const isLater = isolationLevel === forcedLater;
    const begin = accessMode === 'read only' ? () => this.#database.exec('begin') : () => this.#beginAtOnce(isLater);
    await this.#turns.open(connection, begin, { isBusy, patienceMs: busyTimeoutMs });
    if (isLater) this.#later.add(connection);
  }

  #beginAtOnce(isLater: boolean): void {
    this.#database.exec('pragma busy_timeout = 0');
    try {
      if (isLater) this.#database.exec('pragma synchronous = 1');
      this.#database.exec('begin immediate');
    } catch (error) {
      if (isLater) this.#database.exec('pragma synchronous = 2');
      throw error;
    } finally {
      this.#database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    }
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    this.#database.exec('commit');
    this.#ended(connection);
  }

  /** SQLite itself rolls back on some faults (no space left); a second rollback would hide the first error. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      if (this.#database.isTransaction) this.#database.exec('rollback');
    } finally {
      this.#ended(connection);
    }
  }

  #ended(connection: DatabaseConnection): void {
    if (this.#later.delete(connection)) this.#database.exec('pragma synchronous = 2');
    this.#turns.close(connection);
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

/** Prepared once per text. Emptied when full: only a defect makes ever new texts. */
class Statements {
  readonly #database: DatabaseSync;
  readonly #known = new Map<string, { readonly statement: StatementSync; readonly returnsRows: boolean }>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepared(sql: string): { readonly statement: StatementSync; readonly returnsRows: boolean } {
    const known = this.#known.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    if (this.#known.size >= statementsMax) this.#known.clear();
    this.#known.set(sql, prepared);
    return prepared;
  }

  /** Runs it now; null: a kind of statement that returns no rows. */
  answer(sql: string, parameters: readonly unknown[]): unknown[] | null {
    const { statement, returnsRows } = this.prepared(sql);
    const values = parameters as readonly SQLInputValue[];
    if (returnsRows) return statement.all(...values);
    statement.run(...values);
    return null;
  }

  /** A new statement, for rows that are read one by one. */
  fresh(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  }
}

/** One use of the connection: a transaction, or statements by themselves. */
class NodeSqliteConnection implements DatabaseConnection {
  readonly #statements: Statements;
  readonly #turns: SqliteTurns;

  constructor(statements: Statements, turns: SqliteTurns) {
    this.#statements = statements;
    this.#turns = turns;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    while (this.#turns.isTaken(this)) await this.#turns.changed();
    const { statement, returnsRows } = this.#statements.prepared(sql);
    const values = parameters as readonly SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...values) as Row[] };
    const { changes } = statement.run(...values);
    return { numAffectedRows: BigInt(changes), rows: [] };
  }

  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    while (this.#turns.isTaken(this)) await this.#turns.changed();
    const statement = this.#statements.fresh(sql);
    for (const row of statement.iterate(...(parameters as readonly SQLInputValue[]))) yield { rows: [row as Row] };
  }
}
