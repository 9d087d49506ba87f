/**
 * The data directory and its lock. Made with mode 0700; one process at a time. The lock is an open exclusive transaction on
 * a file of its own: the operating system lets go of it when the process dies in whatever way, so it is never stale.
 */
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartFault } from './start-fault.ts';

export interface DirectoryLock {
  release(): void;
}

/** Makes the directory where it is absent. @throws StartFault */
export function ensureDataDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!statSync(directory).isDirectory()) throw new StartFault(`${directory} is not a directory. Set SVC_DATA_DIR to one.`);
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof StartFault) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StartFault(code === 'EEXIST' || code === 'ENOTDIR'
      ? `${directory} is not a directory. Set SVC_DATA_DIR to one.`
      : `The data directory ${directory} cannot be read and written (${code ?? 'unknown reason'}). Check its rights, or set SVC_DATA_DIR.`);
  }
}

/** Takes the directory for this process. @throws StartFault where another process has it. */
export function lockDataDirectory(directory: string): DirectoryLock {
  const database = openLockFile(directory);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch {
    database.close();
    throw new StartFault(`Another metergate already runs on the data directory ${directory}. Stop it, or set SVC_DATA_DIR to another.`);
  }
  return { release: () => database.close() };
}

function openLockFile(directory: string): DatabaseSync {
  try {
    return new DatabaseSync(join(directory, 'lock'));
  } catch {
    throw new StartFault(`The data directory ${directory} cannot be written. Check its rights, or set SVC_DATA_DIR.`);
  }
}
