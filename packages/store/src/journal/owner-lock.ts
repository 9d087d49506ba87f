/**
 * Whose a segment is. Node has no lock of files, so each journal holds one of SQLite's on an empty file beside its segments, for as long as it
 * lives; the kernel frees it with the process, however that dies. Each segment names its owner's lock. Connections lock the file once for
 * their whole process (SQLite's `unix-excl`) and agree within it, so a journal of this process is known from one of another. Windows
 * has no such way: there a segment in use is taken for one of this process.
 * Nothing is ever written to the file. No descriptor but SQLite's may be opened on it: to close one would free the locks of the process.
 */
import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { newId } from '@metergate/core/id.ts';
import { JournalFault, sqliteResult } from './journal-fault.ts';

const lockFile = /^(own_[0-9A-Za-z]{20})\.lock$/;
const busyResult = 5;

/** A journal's own lock. */
export interface OwnerLock {
  readonly id: string;
  /** Call this once no segment of this owner is written to. The file is left for `sweepOwners`. */
  release(): void;
}

/** An owner's lock as others see it. While one is open, no other process can have the owner's segments. */
export interface OwnerHandle {
  /** Takes the lock, until `close`. False: a journal of this process, or another taker, has it. */
  claim(): boolean;
  close(): void;
}

/** Locks a new owner. The file has its name only once it is locked. @throws JournalFault `journal_unwritable`. */
export function holdOwnerLock(directory: string, randomBytes: (n: number) => Uint8Array): OwnerLock {
  const id = newId('own_', randomBytes);
  const path = join(directory, `${id}.lock`);
  let database: DatabaseSync | null = null;
  try {
    database = connect(`${path}.new`);
    database.exec('BEGIN IMMEDIATE');
    renameSync(`${path}.new`, path);
    const held = database;
    return { id, release: () => held.close() };
  } catch (error) {
    database?.close();
    rmSync(`${path}.new`, { force: true });
    throw notLocked(path, error);
  }
}

/** Null: another process has the owner's segments. @throws JournalFault `journal_unwritable`. */
export function openOwner(directory: string, owner: string): OwnerHandle | null {
  const path = join(directory, `${owner}.lock`);
  let database: DatabaseSync | null = null;
  try {
    database = connect(path);
    const connection = database;
    return {
      claim: () => taken(connection, path),
      close: () => connection.close(),
    };
  } catch (error) {
    database?.close();
    if (sqliteResult(error) === busyResult) return null;
    throw notLocked(path, error);
  }
}

/** Removes the locks of owners that are gone and have no segments any more; `owners`: those that have. */
export function sweepOwners(directory: string, owners: ReadonlySet<string>): void {
  for (const name of readdirSync(directory)) {
    const owner = lockFile.exec(name)?.[1];
    if (owner === undefined || owners.has(owner)) continue;
    const handle = openOwner(directory, owner);
    if (handle === null) continue;
    // Held while it is removed, so that nobody takes it in between.
    if (handle.claim()) rmSync(join(directory, name), { force: true });
    handle.close();
  }
}

/** A connection that shares the lock of its process; made where it is not there. @throws what SQLite or the file system throws. */
function connect(path: string): DatabaseSync {
  makeForOwner(path);
  const database = new DatabaseSync(exclusiveAddress(path), { timeout: 0 });
  try {
    // A read locks the file for the process. No journal of SQLite lies beside the file.
    database.exec('PRAGMA journal_mode = MEMORY; SELECT count(*) FROM sqlite_schema');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function taken(database: DatabaseSync, path: string): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (sqliteResult(error) === busyResult) return false;
    throw notLocked(path, error);
  }
}

/** A file of SQLite whose lock belongs to the process that has it open, and ends with it. Windows has no such address. */
export function exclusiveAddress(path: string): string | URL {
  if (process.platform === 'win32') return path;
  const address = pathToFileURL(path);
  address.searchParams.set('vfs', 'unix-excl');
  return address;
}

/**
 * SQLite would create a file that everybody can read. An existing file is not touched: opening and closing it would release a lock that this
 * process holds on it.
 */
export function makeForOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function notLocked(path: string, error: unknown): JournalFault {
  const { code, message } = error as NodeJS.ErrnoException;
  return new JournalFault('journal_unwritable',
    `The journal's lock ${path} cannot be used (${code === 'ERR_SQLITE_ERROR' || code === undefined ? message : code}). It is an empty file. Check `
    + 'the rights and the free space of its directory, and how many files this process may open.',
    { cause: error });
}
