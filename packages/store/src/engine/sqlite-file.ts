/**
 * The file of an embedded store → an open connection. Each has its pragmas set and read back: WAL, synchronous NORMAL (a commit does not wait for
 * the disk; whoever commits waits for `WriteAheadLog`), foreign keys on, what is deleted overwritten, 5 s of patience with other processes. If the
 * file cannot be used, the engine's own error is thrown, or a `StoreFault` where SQLite would be silent.
 */
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreFault } from './fault.ts';

/** How long a statement waits for another process's lock. */
export const busyTimeoutMs = 5_000;
const sqliteBusy = 5;
const sqliteLocked = 6;
const modeTryMs = 5;
/** SQLite before this could corrupt a WAL database when it was reset under two connections. */
const sqliteVersionFloor = [3, 51, 3] as const;

/** Opens the file, makes it (mode 0600) when `create`, and returns a connection in its proper modes. */
export async function openSqliteFile(path: string, { create }: { readonly create: boolean }): Promise<DatabaseSync> {
  assertUsable(path, create);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    assertVersion(database);
    await enterWal(database);
    const pragmas = { synchronous: 1n, foreign_keys: 1n, secure_delete: 1n, busy_timeout: BigInt(busyTimeoutMs) };
    for (const [name, value] of Object.entries(pragmas)) {
      database.exec(`pragma ${name} = ${value}`);
      if (pragma(database, name) !== value) throw new StoreFault('store_failed', `SQLite did not take ${name} = ${value} on ${path}.`);
    }
    database.exec('pragma journal_size_limit = 67108864');
    // Pages, for whoever commits then. Before that it is the work of a thread for which nobody waits: `Engine.checkpoint`.
    database.exec('pragma wal_autocheckpoint = 4000');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite opens what it may not write as read-only without a word, and makes missing files: both are asked first. */
function assertUsable(path: string, create: boolean): void {
  const directory = dirname(path);
  if (!existsSync(path)) {
    if (!create) {
      throw new StoreFault('store_absent', `There is no store at ${path}. Run metergate start first, or correct SVC_DATABASE_URL.`);
    }
    if (!existsSync(directory)) throw unreadable(`The directory ${directory} does not exist. Make it, or name another place.`);
    if (!statSync(directory).isDirectory()) throw unreadable(`The path ${directory} is not a directory. Name another place.`);
  } else if (!statSync(path).isFile()) {
    throw unreadable(`The path ${path} is not a file. Name the file of the store.`);
  }
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    else closeSync(openSync(path, 'a', 0o600));
  } catch {
    throw unreadable(`The store at ${path} cannot be opened for reading and writing. Check the rights of the file and of its directory.`);
  }
  if (statSync(path).nlink > 1) {
    throw unreadable(`The store at ${path} has another name on this disk, a hard link. SQLite would keep a log for each name, and the two would `
      + 'damage the store. Remove the other name, or put a copy of the file in the place of this one.');
  }
}

function unreadable(message: string): StoreFault {
  return new StoreFault('store_unreadable', message);
}

function assertVersion(database: DatabaseSync): void {
  const { version } = database.prepare('select sqlite_version() as version').get() as { version: string };
  const parts = version.split('.').map(Number);
  for (const [index, floor] of sqliteVersionFloor.entries()) {
    const part = parts[index] ?? 0;
    if (part > floor) return;
    if (part < floor) {
      throw new StoreFault('store_failed',
        `This Node brings SQLite ${version}; ${sqliteVersionFloor.join('.')} or later is needed. Update Node.`);
    }
  }
}

/** Changing the mode needs the file alone and does not always heed the busy timeout, so two first starts take turns here. */
function enterWal(database: DatabaseSync): Promise<void> {
  return whenNotBusy(() => {
    if (pragma(database, 'journal_mode') === 'wal' || pragma(database, 'journal_mode = wal') === 'wal') return;
    throw new StoreFault('store_failed', 'SQLite did not enter WAL mode; the file system may not support it.');
  });
}

/** Tries again and again while another connection holds the lock, for as long as the busy timeout. */
async function whenNotBusy(attempt: () => void): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += modeTryMs) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= busyTimeoutMs) throw error;
      await new Promise((resume) => setTimeout(resume, modeTryMs));
    }
  }
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  return code === sqliteBusy || code === sqliteLocked;
}

function pragma(database: DatabaseSync, text: string): unknown {
  const statement = database.prepare(`pragma ${text}`);
  statement.setReadBigInts(true);
  return Object.values(statement.get() ?? {})[0];
}
