/**
 * The writing side of one segment: begin, append, commit, seal. One per file; it alone decides what is in the file.
 * A call's `closed` row always goes to the segment that holds its `opened` row, so a segment is complete in itself:
 * sealed means that no row will ever be added, and every call opened in it is closed in it.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RowKind } from './row.ts';
import { openSegment, type JournalSync } from './segment.ts';

export class SegmentWriter {
  readonly path: string;
  readonly database: DatabaseSync;
  /** Rows committed. */
  rows: number = 0;
  /** Calls opened here and not closed yet. */
  openCalls: number = 0;
  readonly #begin: StatementSync;
  readonly #insert: StatementSync;
  readonly #commit: StatementSync;

  /** @throws JournalFault as `openSegment`. */
  constructor(path: string, sync: JournalSync) {
    this.path = path;
    this.database = openSegment(path, sync);
    this.#begin = this.database.prepare('BEGIN IMMEDIATE');
    this.#insert = this.database.prepare('INSERT INTO entry (kind, body) VALUES (?, ?)');
    this.#commit = this.database.prepare('COMMIT');
  }

  begin(): void {
    this.#begin.run();
  }

  append(kind: RowKind, body: string): void {
    this.#insert.run(kind, body);
  }

  commit(): void {
    this.#commit.run();
  }

  /** After a failure anywhere between begin and commit: nothing of it stays. */
  rollback(): void {
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
  }

  /** Tells readers that no row follows. */
  seal(): void {
    this.database.exec('UPDATE segment SET sealed = 1');
  }

  /**
   * Ends the connection. The last connection to a file moves its whole log into it, which takes long: where that must
   * not happen, wait until the reader has renamed the file (see `segment-files.ts`); then closing costs nothing.
   */
  close(): void {
    this.database.close();
  }
}
