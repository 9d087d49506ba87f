/**
 * The writing side of one segment: append, seal. One per file; it alone decides what is in the file.
 * A call's `closed` row always goes to the segment that holds its `opened` row, so a segment is complete in itself:
 * sealed means that no row will ever be added, and every call opened in it is closed in it.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RowKind } from './row.ts';
import { openSegment, type JournalSync } from './segment.ts';

/** A row to be written. */
export interface WrittenRow {
  readonly kind: RowKind;
  readonly body: string;
}

/** Rows of one statement. Busy turns have a few; more go in several statements of one transaction. */
const rowsAtOnce = 64;
/**
 * Characters of the rows of one statement. A statement keeps a copy of what it was last run with until it is run again, and there is one
 * for each number of rows: longer rows go one by one, or a segment would hold megabytes of them.
 */
const charactersAtOnce = 32 * 1024;

export class SegmentWriter {
  readonly path: string;
  readonly database: DatabaseSync;
  /** Rows committed. */
  rows: number = 0;
  /** Calls opened here and not closed yet. */
  openCalls: number = 0;
  /** Statements for so many rows at once: one statement is a transaction by itself. */
  readonly #inserts = new Map<number, StatementSync>();

  /** @throws JournalFault as `openSegment`. */
  constructor(path: string, sync: JournalSync) {
    this.path = path;
    this.database = openSegment(path, sync);
  }

  /** Appends rows in their order, in one transaction. @throws what SQLite throws; nothing of them stays then. */
  append(rows: readonly WrittenRow[]): void {
    const atOnce = rowsOfOneStatement(rows);
    if (rows.length <= atOnce) {
      this.#insert(rows);
      return;
    }
    this.database.exec('BEGIN IMMEDIATE');
    try {
      for (let done = 0; done < rows.length; done += atOnce) this.#insert(rows.slice(done, done + atOnce));
      this.database.exec('COMMIT');
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #insert(rows: readonly WrittenRow[]): void {
    let statement = this.#inserts.get(rows.length);
    if (statement === undefined) {
      statement = this.database.prepare(`INSERT INTO entry (kind, body) VALUES ${rows.map(() => '(?, ?)').join(', ')}`);
      this.#inserts.set(rows.length, statement);
    }
    const values: (number | string)[] = [];
    for (const { kind, body } of rows) values.push(kind, body);
    statement.run(...values);
  }

  #rollBack(): void {
    try {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
    } catch {
      // The first error says more; a transaction that cannot be rolled back makes the next begin fail, and be counted.
    }
  }

  /** Commits a page that says what it said before. @throws what SQLite throws */
  probe(): void {
    this.database.exec('UPDATE segment SET sealed = 0');
  }

  /** Tells readers that no row follows. Statements for writing are released, because the connection may stay open for long. */
  seal(): void {
    this.database.exec('UPDATE segment SET sealed = 1');
    this.#inserts.clear();
  }

  /**
   * Ends the connection. The last connection to a file moves its whole log into it, which takes long: where that must
   * not happen, wait until the reader has renamed the file (see `segment-files.ts`); then closing costs nothing.
   */
  close(): void {
    this.database.close();
  }
}

function rowsOfOneStatement(rows: readonly WrittenRow[]): number {
  let characters = 0;
  for (const { body } of rows) characters += body.length;
  return characters > charactersAtOnce * Math.max(1, rows.length / rowsAtOnce) ? 1 : rowsAtOnce;
}
