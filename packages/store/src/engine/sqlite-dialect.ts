/**
 * An open SQLite file → a Kysely dialect, which takes turns by itself: transactions one after the other, reads beside a writer that waits for the
 * lock.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler,
  type CompiledQuery, type DatabaseConnection, type Dialect, type Driver, type QueryResult, type TransactionSettings,
} from 'kysely';
import { giveWay } from '../threads/give-way.ts';
import type { Transact } from './pipeline.ts';
import { sendingAtOnce, type RowValue } from './send.ts';
import { busyTimeoutMs, isBusy } from './sqlite-file.ts';
import { SqliteStatements } from './sqlite-statements.ts';
import { SqliteTurns } from './sqlite-turns.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/**
 * A write transaction that does not wait until the disk has what it wrote. SQLite knows one isolation level, so the name is free for that. Whoever
 * asks for it calls `EmbeddedDialect.force` afterwards.
 */
export const forcedLater = 'read uncommitted';

/** Of 4 KiB. */
const pagesToMove = 1_000;

const ownChanges = 'select total_changes()';
const othersCommits = 'pragma data_version';

/** Kysely on one `DatabaseSync`. Who uses it when is decided here, not by Kysely: reads continue while a writer waits for the lock. */
export class EmbeddedDialect implements Dialect {
  readonly #database: DatabaseSync;
  readonly #driver: EmbeddedDriver;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#driver = new EmbeddedDriver(database);
  }

  /** Past Kysely, which takes as long for a statement as SQLite does: for transactions of many. */
  readonly transact: Transact = (read, write) => this.#driver.transact(read, write);

  /** See `Engine.look`. */
  look<Row>(text: string, given: readonly (readonly unknown[])[]): Promise<Row[][]> {
    return this.#driver.look(text, given);
  }

  /** See `Engine.rows`. */
  rows(query: CompiledQuery): Promise<RowValue[][]> {
    return this.#driver.rows(query);
  }

  /** See `Engine.stateNumber`. */
  stateNumber(): Promise<number> {
    return this.#driver.stateNumber();
  }

  /** Another value than before if another connection committed since. Null: a transaction is open here, and keeps what it began with in sight. */
  othersCommits(): RowValue | null {
    return this.#driver.othersCommits();
  }

  /** Resolves when the disk has all that was committed so far. @throws StoreFault */
  force(): Promise<void> {
    return this.#driver.log.force();
  }

  /** See `Engine.checkpoint`. */
  checkpoint(): void {
    this.#driver.checkpoint();
  }

  /** Kysely closes what it used itself. */
  close(): void {
    this.#driver.log.close();
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

class EmbeddedDriver implements Driver {
  readonly log: WriteAheadLog;
  readonly #database: DatabaseSync;
  readonly #turns = new SqliteTurns();
  readonly #statements: SqliteStatements;
  /** Transactions that wait for no disk at their end: they only read, or are forced later. */
  readonly #later = new WeakSet<DatabaseConnection>();
  #ownChanges: RowValue = 0;
  #othersCommits: RowValue = 0;
  #stateNumber = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = new SqliteStatements(database);
    this.log = new WriteAheadLog(database.location()!);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new EmbeddedConnection(this.#statements, this.#turns);
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

  async rows({ sql, parameters }: CompiledQuery): Promise<RowValue[][]> {
    const user = {};
    while (this.#turns.isTaken(user)) await this.#turns.changed();
    return this.#statements.rows(sql, parameters);
  }

  /** SQLite counts what this connection changed, and separately says whether any other one committed. */
  async stateNumber(): Promise<number> {
    const user = {};
    while (this.#turns.isTaken(user)) await this.#turns.changed();
    const [own, others] = [this.#number(ownChanges), this.#number(othersCommits)];
    if (own !== this.#ownChanges || others !== this.#othersCommits) {
      [this.#ownChanges, this.#othersCommits] = [own, others];
      this.#stateNumber += 1;
    }
    return this.#stateNumber;
  }

  othersCommits(): RowValue | null {
    return this.#database.isTransaction ? null : this.#number(othersCommits);
  }

  checkpoint(): void {
    if (this.#database.isTransaction) return;
    const [, written, moved] = this.#statements.rows('pragma wal_checkpoint(noop)', [])[0] as unknown as [unknown, bigint | number, bigint | number];
    if (Number(written) - Number(moved) >= pagesToMove) this.#database.exec('pragma wal_checkpoint(passive)');
  }

  #number(question: string): RowValue {
    const [row] = this.#statements.rows(question, []);
    return row![0]!;
  }

  /**
   * Writers queue here: a lock that is taken later in a transaction can only fail, not wait. They wait without holding
   * the thread, since SQLite's own waiting would stop everything else on it, and whoever holds the lock may be there.
   */
  async beginTransaction(connection: DatabaseConnection, { accessMode, isolationLevel }: TransactionSettings): Promise<void> {
    const begin = accessMode === 'read only' ? () => this.#database.exec('begin') : () => this.#beginAtOnce();
    await this.#turns.open(connection, begin, { isBusy, patienceMs: busyTimeoutMs });
    if (accessMode === 'read only' || isolationLevel === forcedLater) this.#later.add(connection);
  }

  #beginAtOnce(): void {
    this.#database.exec('pragma busy_timeout = 0');
    try {
      this.#database.exec('begin immediate');
    } finally {
      this.#database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    }
  }

  /** Others use the connection while this waits for the disk, and may read what was written. */
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    this.#database.exec('commit');
    this.#turns.close(connection);
    if (!this.#later.delete(connection)) await this.log.force();
  }

  /** SQLite itself rolls back on some faults (no space left); a second rollback would hide the first error. What is committed stays. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.#later.delete(connection);
    if (!this.#turns.isOpen(connection)) return;
    try {
      if (this.#database.isTransaction) this.#database.exec('rollback');
    } finally {
      this.#turns.close(connection);
    }
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.log.close();
    this.#database.close();
  }
}

/** One use of the connection: a transaction, or statements by themselves. */
class EmbeddedConnection implements DatabaseConnection {
  readonly #statements: SqliteStatements;
  readonly #turns: SqliteTurns;

  constructor(statements: SqliteStatements, turns: SqliteTurns) {
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
