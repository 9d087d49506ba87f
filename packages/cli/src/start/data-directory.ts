/**
 * The data directory, the embedded store, and their locks. The directory is created with mode 0700. Both are used by one process at a time:
 * it decides by what it has read from the store. A lock is an open exclusive transaction on a separate file. The operating system releases
 * it however the process dies, so it is never stale.
 */
import { accessSync, constants, existsSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeForOwner } from '@metergate/store/journal/owner-lock.ts';
import { StartFault } from '../config/start-fault.ts';

/** SQLite's result if another connection has the lock. */
const busyResult = 5;

/** Names of a data directory's files, or of a store's. */
export interface DirectoryLock {
  /** The files that are locked. */
  readonly files: readonly string[];
  release(): void;
}

/** Of a store, which may not have a file: a start that fails removes the lock's file again if it created it. */
export interface StoreLock extends DirectoryLock {
  undo(): void;
}

/** What a start created of the data directory, so that a failed start can remove it again. */
interface DirectoryMade {
  /** The topmost directory created now; null if all existed. */
  readonly topmost: string | null;
  readonly lockFile: boolean;
}

/** Creates the directory if it is absent. @throws StartFault */
export function ensureDataDirectory(directory: string): DirectoryMade {
  try {
    const topmost = makeDirectories(directory);
    if (!statSync(directory).isDirectory()) throw new StartFault(`${directory} is not a directory. Set SVC_DATA_DIR to one.`);
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return { topmost, lockFile: !existsSync(lockFile(directory)) };
  } catch (error) {
    if (error instanceof StartFault) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StartFault(code === 'EEXIST' || code === 'ENOTDIR'
      ? `${directory} is not a directory. Set SVC_DATA_DIR to one.`
      : `The data directory ${directory} cannot be read and written (${code ?? 'unknown reason'}). Check its permissions, or set SVC_DATA_DIR.`);
  }
}

/**
 * Creates what is absent, from the top; returns the topmost one created. One by one, because Node's own recursive form never
 * returns under a parent that exists and answers ENOENT, as /proc does.
 */
function makeDirectories(directory: string): string | null {
  const absent: string[] = [];
  for (let each = directory; !existsSync(each) && dirname(each) !== each; each = dirname(each)) absent.unshift(each);
  const made = absent.filter((each) => {
    try {
      mkdirSync(each, { mode: 0o700 });
      return true;
    } catch (error) {
      // Another process made it since.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });
  return made[0] ?? null;
}

/** Removes what `ensureDataDirectory` and the lock created, unless other files are in it by now. Call this while the lock is held. */
export function removeMade(directory: string, made: DirectoryMade): void {
  if (made.lockFile) rmSync(lockFile(directory), { force: true });
  if (made.topmost === null) return;
  try {
    for (let each = directory; ; each = dirname(each)) {
      rmdirSync(each);
      if (each === made.topmost || dirname(each) === each) return;
    }
  } catch {
    // Something is in it that is not ours to remove.
  }
}

/** The file whose lock is the directory's. */
export function lockFile(directory: string): string {
  return join(directory, 'lock');
}

/** Takes the directory for this process. @throws StartFault if another process has it. */
export function lockDataDirectory(directory: string): DirectoryLock {
  return lock(lockFile(directory), {
    taken: `Another metergate already uses the data directory ${directory}. Stop it, or set SVC_DATA_DIR to another.`,
    unwritable: `The data directory ${directory} cannot be written. Check its permissions, or set SVC_DATA_DIR.`,
  });
}

/**
 * Takes an existing embedded store for this process: it may lie outside the data directory, and several directories may name it.
 * @throws StartFault if another process has it.
 */
export function lockStoreFile(path: string): StoreLock {
  const file = `${realpathSync(path)}.lock`;
  const made = !existsSync(file);
  const { files, release } = lock(file, {
    taken: `Another metergate already uses the store ${path}. Stop it, or set SVC_DATABASE_URL to another one. `
      + 'Several nodes share a PostgreSQL store.',
    unwritable: `The folder of the store ${path} cannot be written. Check its permissions, or set SVC_DATABASE_URL.`,
  });
  return {
    files,
    release,
    undo() {
      // While it is held, so that nobody takes it in between.
      if (made) rmSync(file, { force: true });
      release();
    },
  };
}

/** Changes nothing on the disk. @throws StartFault if another process has the directory. */
export function assertDirectoryFree(directory: string): void {
  if (existsSync(lockFile(directory))) lockDataDirectory(directory).release();
}

/** Nothing is ever written under the lock, so no journal file lies beside it. @throws StartFault with one of the sentences. */
function lock(file: string, { taken, unwritable }: { readonly taken: string; readonly unwritable: string }): DirectoryLock {
  const database = opened(file, unwritable);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw new StartFault(isBusy(error) ? taken
      : `The lock ${file} cannot be taken (${(error as Error).message}). It is an empty file. If it holds anything, remove it.`);
  }
  return { files: [file], release: () => database.close() };
}

function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === busyResult;
}

function opened(file: string, unwritable: string): DatabaseSync {
  try {
    makeForOwner(file);
    return new DatabaseSync(file);
  } catch {
    throw new StartFault(unwritable);
  }
}
