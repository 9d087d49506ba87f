/** The statements of one connection, each prepared once. Integers come back as `bigint`, whatever their size, as they do from PostgreSQL. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { RowValue } from './send.ts';

const statementsMax = 200;

/** Prepared once per text. Emptied when full: only a defect makes ever new texts. */
export class SqliteStatements {
  readonly #database: DatabaseSync;
  readonly #known = new Map<string, { readonly statement: StatementSync; readonly returnsRows: boolean }>();
  /** Those whose rows are arrays. */
  readonly #ofArrays = new Map<string, StatementSync>();

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

  /** See `Engine.rows`. */
  rows(sql: string, parameters: readonly unknown[]): RowValue[][] {
    const statement = this.#arraysOf(sql);
    const values = parameters as readonly SQLInputValue[];
    try {
      return statement.all(...values) as unknown[] as RowValue[][];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error;
    }
    // A number that no double holds is rare, so all are read again.
    statement.setReadBigInts(true);
    try {
      return statement.all(...values) as unknown[] as RowValue[][];
    } finally {
      statement.setReadBigInts(false);
    }
  }

  #arraysOf(sql: string): StatementSync {
    const known = this.#ofArrays.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    if (this.#ofArrays.size >= statementsMax) this.#ofArrays.clear();
    this.#ofArrays.set(sql, statement);
    return statement;
  }

  /** A new statement, for rows that are read one by one. */
  fresh(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  }
}
