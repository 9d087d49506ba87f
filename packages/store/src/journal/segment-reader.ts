/**
 * The reading side of one segment, on another thread than its writer: what is closed after a mark, whether it is
 * sealed, checkpoints, and the last rites of a segment whose process is dead.
 * Never holds a read transaction open between two calls, so it never keeps the log from being reused.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { interruptedRecord, type CallOpening } from '@metergate/core/record/call-record.ts';
import { sqliteResult, type JournalFault } from './journal-fault.ts';
import { endFromText, openingFromText, recordFromText, recordToText, rowIdAt, rowKind, tighteningFromText } from './row.ts';
import { brokenSegment, openSegment, segmentName, unreadable } from './segment.ts';
import type { ClosedRow, RunRow } from './call-sink.ts';

/** What the store is to be told, in the order of the segment. */
export interface DueRows {
  readonly records: readonly ClosedRow[];
  readonly runEvents: readonly RunRow[];
  /** Of both together. */
  readonly count: number;
  /** `seq` of the last of them; where there are none, what was asked from. */
  readonly through: number;
}

export class SegmentReader {
  readonly path: string;
  /** As the store's mark knows it. */
  readonly name: string;
  readonly #database: DatabaseSync;
  readonly #dueAfter: StatementSync;
  readonly #sealed: StatementSync;

  /** @throws JournalFault as `openSegment`. */
  constructor(path: string) {
    this.path = path;
    this.name = segmentName(path);
    this.#database = openSegment(path, 'full');
    try {
      this.#dueAfter = this.#database.prepare(
        `SELECT seq, kind, body FROM entry WHERE seq > ? AND kind <> ${rowKind.opened} ORDER BY seq LIMIT ?`);
      this.#dueAfter.setReturnArrays(true);
      this.#sealed = this.#database.prepare('SELECT sealed FROM segment');
    } catch (error) {
      this.#database.close();
      throw brokenSegment(path, error);
    }
  }

  /** At most `limit` rows after `seq` that the store must have: all but openings. @throws JournalFault where one cannot be read. */
  dueAfter(seq: number, limit: number): DueRows {
    const records: ClosedRow[] = [];
    const runEvents: RunRow[] = [];
    let through = seq;
    try {
      for (const [at, kind, text] of this.#dueAfter.all(seq, limit) as unknown as [number, number, string][]) {
        through = at;
        if (kind === rowKind.closed) records.push({ seq: at, record: recordFromText(text) });
        else runEvents.push({ seq: at, event: kind === rowKind.runEnded ? endFromText(text) : tighteningFromText(text) });
      }
    } catch (error) {
      throw this.#broken(error, `row ${through} is not one of this version`);
    }
    return { records, runEvents, count: records.length + runEvents.length, through };
  }

  /** `otherwise`: what it is where SQLite found nothing. What is thrown for a row may quote it, so it is not said. */
  #broken(error: unknown, otherwise: string): JournalFault {
    return sqliteResult(error) === 0 ? unreadable(this.path, otherwise, error) : brokenSegment(this.path, error);
  }

  /** True once no row will ever be added. Ask before reading the rows, or one may slip between. */
  get sealed(): boolean {
    return this.#sealed.get()?.['sealed'] === 1;
  }

  /** Moves what it can of the log into the file without making the writer wait. True where all of it was moved. */
  checkpoint(): boolean {
    const { busy, log, checkpointed } = this.#database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
    return busy === 0 && log === checkpointed;
  }

  /**
   * Takes a segment over from a dead process. False: a writer of this process has it. Every connection to a segment holds a lock for as
   * long as it is open, and the kernel frees that of a process with it: leaving the log mode needs the lock alone.
   */
  claim(): boolean {
    try {
      return this.#database.prepare('PRAGMA journal_mode = DELETE').get()?.['journal_mode'] === 'delete';
    } catch (error) {
      if (sqliteResult(error) === 5) return false;
      throw brokenSegment(this.path, error);
    }
  }

  /** @throws JournalFault `journal_unreadable` where the file is damaged inside. */
  assertWhole(): void {
    let verdict: unknown;
    try {
      verdict = this.#database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    } catch (error) {
      throw brokenSegment(this.path, error);
    }
    if (verdict !== 'ok') throw unreadable(this.path, `it is damaged: ${String(verdict)}`);
  }

  /** Number of the last row; 0 where there is none. */
  get lastSeq(): number {
    return Number(this.#database.prepare('SELECT max(seq) AS last FROM entry').get()?.['last'] ?? 0);
  }

  /** What was opened here and not closed, in the order of opening. @throws JournalFault where a row cannot be read. */
  openCalls(): CallOpening[] {
    try {
      const rows = this.#database.prepare(`SELECT body FROM entry WHERE kind = ${rowKind.opened} AND body ->> ${rowIdAt} NOT IN
        (SELECT body ->> ${rowIdAt} FROM entry WHERE kind = ${rowKind.closed}) ORDER BY seq`).all();
      return rows.map((row) => openingFromText(String(row['body'])));
    } catch (error) {
      throw this.#broken(error, 'an opening is not one of this version');
    }
  }

  /**
   * Closes these calls as `interrupted`, in rows numbered from above `after`, and seals; one transaction, so that a second
   * attempt finds either nothing or all of it done, and each row keeps its `seq`. Only after `claim`. Returns how many it closed.
   * @throws JournalFault where it cannot be written.
   */
  interrupt(openings: readonly CallOpening[], after: number): number {
    const database = this.#database;
    const insert = database.prepare(`INSERT INTO entry (seq, kind, body) VALUES (?, ${rowKind.closed}, ?)`);
    try {
      database.exec('BEGIN IMMEDIATE');
      openings.forEach((opening, at) => insert.run(after + 1 + at, recordToText(interruptedRecord(opening))));
      database.exec('UPDATE segment SET sealed = 1');
      database.exec('COMMIT');
      return openings.length;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw brokenSegment(this.path, error);
    }
  }

  close(): void {
    this.#database.close();
  }
}
