/**
 * One segment of the journal: a node-local SQLite file `seg_<random>.db`, its form and how it is opened.
 * A file with that name is always a whole segment: it is made under another name, synced, and renamed into place.
 * Rows are only ever appended; `seq` grows with each commit, so what a reader has seen below a `seq` never changes.
 * Rule: every connection sets what it relies on and reads it back; SQLite's own defaults differ between builds.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { newId, idPrefix } from '@metergate/core/id.ts';
import { JournalFault, sqliteResult } from './journal-fault.ts';

/** `normal` survives the death of the process; `full` also the loss of power (`SVC_JOURNAL_SYNC`). */
export type JournalSync = 'normal' | 'full';

/** Stamps a file as a segment of this form. */
export const segmentForm = { applicationId: 0x4d677331, version: 1 } as const;

/** How long a connection waits for a lock that another one should never hold for long. Milliseconds. */
const busyTimeoutMs = 50;

const busyResult = 5;

/** What SQLite says of a place rather than of a file: rights, a medium that is only read, no space, no descriptor. */
const placeResults: ReadonlySet<number> = new Set([3, 8, 13, 14]);

/** The first SQLite release without the race in which a write-ahead log that restarts could lose commits. */
const sqliteFloor = '3.51.3';

/** Where segments are made, and how. */
export interface SegmentPlace {
  readonly directory: string;
  readonly sync: JournalSync;
  readonly randomBytes: (n: number) => Uint8Array;
}

/**
 * Makes a new, empty segment and returns its path. Costs one `fsync`, and one more of the directory under `full`.
 * @throws JournalFault `journal_unwritable`, naming the directory.
 */
export function makeSegment(place: SegmentPlace): string {
  const path = newSegmentPath(place);
  try {
    writeEmptySegment(`${path}.new`);
    syncPath(`${path}.new`, 'r+');
    return nameSegment(place, path);
  } catch (error) {
    throw notMade(place, path, error);
  }
}

/**
 * The same, ahead of need: what waits for the disk waits on a thread of the pool. Nothing is written to it before `nameSegment` gives it
 * its name. Null where it cannot be made now: then it is made, or the fault told, when it is needed.
 */
export async function prepareSegment(place: SegmentPlace): Promise<string | null> {
  const path = newSegmentPath(place);
  try {
    writeEmptySegment(`${path}.new`);
    const file = await open(`${path}.new`, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    return path;
  } catch (error) {
    notMade(place, path, error);
    return null;
  }
}

/** Gives a segment that was prepared its name, which makes it one. Returns its path. @throws what the file system throws. */
export function nameSegment({ directory, sync }: SegmentPlace, path: string): string {
  renameSync(`${path}.new`, path);
  if (sync === 'full' && process.platform !== 'win32') syncPath(directory, 'r');
  return path;
}

/** A segment that was prepared and is not needed. */
export function discardSegment(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}.new${suffix}`, { force: true });
}

function newSegmentPath({ directory, randomBytes }: SegmentPlace): string {
  return join(directory, `${newId(idPrefix.segment, randomBytes)}.db`);
}

function writeEmptySegment(path: string): void {
  // SQLite gives its logs the mode of the file, and makes a file that all may read.
  closeSync(openSync(path, 'wx', 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
      PRAGMA application_id = ${segmentForm.applicationId}; PRAGMA user_version = ${segmentForm.version};
      BEGIN IMMEDIATE;
      CREATE TABLE entry (seq INTEGER PRIMARY KEY, kind INTEGER NOT NULL, body TEXT NOT NULL);
      CREATE TABLE segment (only INTEGER PRIMARY KEY CHECK (only = 1), sealed INTEGER NOT NULL);
      INSERT INTO segment VALUES (1, 0);
      COMMIT;`);
  } finally {
    database.close();
  }
}

/** Takes away what there is of it, and says why there is no more. */
function notMade({ directory }: SegmentPlace, path: string, error: unknown): JournalFault {
  discardSegment(path);
  return new JournalFault('journal_unwritable',
    `The journal cannot be written in ${directory} (${reason(error)}). Check the rights and the free space of that directory.`,
    { cause: error });
}

/**
 * Opens a segment, for its writer or for a reader, with every setting asserted.
 * @throws JournalFault `journal_unreadable`, `journal_unwritable`, `journal_elsewhere` or `journal_newer`, naming the file; `journal_unsound`.
 */
export function openSegment(path: string, sync: JournalSync): DatabaseSync {
  // SQLite would create a missing file, but a vanished segment must be reported.
  if (!existsSync(path)) throw unreadable(path, 'it is gone');
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(addressOf(path), { timeout: busyTimeoutMs });
    assertSound(database);
    assertForm(database, path);
    database.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = ${sync};`);
    assertPragma(database, 'wal_autocheckpoint', 0);
    assertPragma(database, 'synchronous', sync === 'full' ? 2 : 1);
    assertPragma(database, 'busy_timeout', busyTimeoutMs);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof JournalFault) throw error;
    throw sqliteResult(error) === busyResult ? elsewhere(path, error) : brokenSegment(path, error);
  }
}

/**
 * One process writes and reads a segment, so its connections agree among themselves: locks and the index of the log are in its
 * memory, and the file is locked once, for as long as one of them is open. A third of what a small commit costs goes with it.
 * Windows has no such way.
 */
function addressOf(path: string): string | URL {
  if (process.platform === 'win32') return path;
  const address = pathToFileURL(path);
  address.searchParams.set('vfs', 'unix-excl');
  return address;
}

/** The fault of a segment that cannot be read: what it may hold is named, because it must not be thrown away lightly. */
export function unreadable(path: string, why: string, cause?: unknown): JournalFault {
  return new JournalFault('journal_unreadable',
    `The journal segment ${path} cannot be read (${why}). It may hold calls that no record exists of yet: `
    + 'restore it, or move it away to go on without them.',
    { cause });
}

/** The fault of a segment that SQLite cannot open, read or change: it is damaged, or its place cannot be written. */
export function brokenSegment(path: string, error: unknown): JournalFault {
  if (!placeResults.has(sqliteResult(error))) return unreadable(path, reason(error), error);
  return new JournalFault('journal_unwritable',
    `The journal segment ${path} cannot be written (${reason(error)}). Nothing in it is lost, so leave it where it is: `
    + 'check the rights and the free space of its directory, and how many files this process may open.',
    { cause: error });
}

function elsewhere(path: string, cause: unknown): JournalFault {
  return new JournalFault('journal_elsewhere',
    `The journal segment ${path} is in use by another process. Each node needs a journal directory of its own.`, { cause });
}

/** One pragma's value, as SQLite tells it. */
export function readPragma(database: DatabaseSync, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row === undefined ? undefined : Object.values(row)[0];
}

function assertForm(database: DatabaseSync, path: string): void {
  if (readPragma(database, 'application_id') !== segmentForm.applicationId) throw unreadable(path, 'it is no journal segment');
  const version = readPragma(database, 'user_version');
  if (version === segmentForm.version) return;
  throw new JournalFault('journal_newer',
    `The journal segment ${path} was written by a newer version (form ${String(version)}). `
    + 'Start that version once, so that it is recovered.');
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

function assertPragma(database: DatabaseSync, name: string, wanted: unknown): void {
  const value = readPragma(database, name);
  if (value === wanted) return;
  throw new JournalFault('journal_unsound', `SQLite did not take ${name} = ${String(wanted)} on the journal; it says ${String(value)}.`);
}

function syncPath(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function reason(error: unknown): string {
  const { code, errcode, message } = error as Error & { code?: unknown; errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR') return `SQLite result ${String(errcode)}: ${message}`;
  return typeof code === 'string' ? code : message;
}

/** Name of the segment, as the store's mark knows it: the file's name without `.db`. */
export function segmentName(path: string): string {
  return path.slice(dirname(path).length + 1, -'.db'.length);
}
