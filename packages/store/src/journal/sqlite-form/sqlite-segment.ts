/** A segment as earlier versions wrote it: a database of SQLite, in use by one process. It is only read here, once its process is dead. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { JournalFault, sqliteResult } from '../journal-fault.ts';
import { exclusiveAddress } from '../owner-lock.ts';
import type { RowKind } from '../row.ts';
import { unreadableSegment } from '../segment.ts';

const segmentForm = { applicationId: 0x4d677331, version: 1 } as const;
/** How long a connection waits for a lock that another one should never hold for long. Milliseconds. */
const busyTimeoutMs = 50;
const busyResult = 5;
/** What SQLite says of a place rather than of a file: rights, a medium that is only read, no space, no descriptor. */
const placeResults: ReadonlySet<number> = new Set([3, 8, 13, 14]);
/** The first SQLite release without the race in which a write-ahead log that restarts could lose commits. */
const sqliteFloor = '3.51.3';

export interface OldRow {
  readonly seq: number;
  readonly kind: RowKind;
  readonly body: string;
}

/**
 * Calls `read` with the rows of a whole segment that no process uses, in their order, and whether it is sealed. False: a process has it.
 * @throws JournalFault `journal_unreadable`, `journal_unwritable` or `journal_newer`, naming the file; `journal_unsound`.
 */
export function readOldSegment(path: string, read: (rows: Iterable<OldRow>, sealed: boolean) => void): boolean {
  if (!existsSync(path)) throw unreadableSegment(path, 'it is gone');
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(exclusiveAddress(path), { timeout: busyTimeoutMs });
    assertSound(database);
    assertForm(database, path);
    // Every connection holds a lock for as long as it is open, and the kernel frees that of a process with it: leaving the log mode needs the
    // lock alone. It moves the whole log into the file.
    database.exec('PRAGMA synchronous = FULL');
    if (pragma(database, 'journal_mode = DELETE') !== 'delete') return false;
    const verdict = pragma(database, 'quick_check(1)');
    if (verdict !== 'ok') throw unreadableSegment(path, `it is damaged: ${String(verdict)}`);
    const sealed = database.prepare('SELECT sealed FROM segment').get()?.['sealed'] === 1;
    read(database.prepare('SELECT seq, kind, body FROM entry ORDER BY seq').iterate() as Iterable<unknown> as Iterable<OldRow>, sealed);
    return true;
  } catch (error) {
    if (error instanceof JournalFault) throw error;
    const result = sqliteResult(error);
    if (result === 0) throw error;
    if (result === busyResult) return false;
    throw broken(path, result, error as Error);
  } finally {
    database?.close();
  }
}

function broken(path: string, result: number, error: Error): JournalFault {
  if (!placeResults.has(result)) return unreadableSegment(path, `SQLite result ${result}: ${error.message}`, error);
  return new JournalFault('journal_unwritable',
    `The journal segment ${path} cannot be written (SQLite result ${result}: ${error.message}). Nothing in it is lost, so leave it where it is: `
    + 'check the rights and the free space of its directory, and how many files this process may open.',
    { cause: error });
}

function pragma(database: DatabaseSync, text: string): unknown {
  const row = database.prepare(`PRAGMA ${text}`).get();
  return row === undefined ? undefined : Object.values(row)[0];
}

function assertForm(database: DatabaseSync, path: string): void {
  if (pragma(database, 'application_id') !== segmentForm.applicationId) throw unreadableSegment(path, 'it is no journal segment');
  const version = pragma(database, 'user_version');
  if (version === segmentForm.version) return;
  throw new JournalFault('journal_newer',
    `The journal segment ${path} was written by a newer version (form ${String(version)}). Start that version once, so that it is recovered.`);
}

function assertSound(database: DatabaseSync): void {
  const text = String(database.prepare('SELECT sqlite_version() AS version').get()?.['version']);
  if (versionNumber(text) >= versionNumber(sqliteFloor)) return;
  throw new JournalFault('journal_unsound',
    `This Node brings SQLite ${text}, which can lose journalled calls; ${sqliteFloor} or later is needed. Use a newer Node.`);
}

function versionNumber(text: string): number {
  const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
  return (major * 1000 + minor) * 1000 + patch;
}
