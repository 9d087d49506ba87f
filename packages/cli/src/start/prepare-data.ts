/**
 * What must exist before anything listens: the data directory and its lock, the master key, the store made or brought up to date. Rules:
 * Processes.
 */
import { existsSync, rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { parseDatabaseUrl, type StorePlace } from '@metergate/store/engine/database-url.ts';
import type { Config } from '../config/config.ts';
import { masterKeyFile, masterKeyForStart } from '../config/master-key.ts';
import { isWrongKey, withMasterKey } from '../config/pending-master-key.ts';
import { StartFault } from '../config/start-fault.ts';
import type { Log } from '../log/log.ts';
import { ensureDataDirectory, lockDataDirectory, lockStoreFile, removeMade, type DirectoryLock, type StoreLock } from './data-directory.ts';
import type { FirstStart } from './first-start.ts';
import type { NodeWatch } from './node-watch.ts';
import type { StorePreparer } from './store-preparer.ts';
import { waitingForStore } from './waiting-for-store.ts';

/** What runs in this process. */
export type Part = 'all' | 'gateway' | 'platform';

interface PrepareOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  readonly sandbox: boolean;
}

/** Who is informed while a start waits, and what ends the wait. */
export interface Waiting {
  readonly log: Log;
  readonly watch: NodeWatch;
  /** Aborted by the first signal. */
  readonly asked: AbortSignal;
}

export interface PreparedData {
  /** Null: this part keeps nothing on this machine. */
  readonly lock: DirectoryLock | null;
  readonly masterKey: Uint8Array;
  /** Null: this part makes nothing in the store. */
  readonly firstStart: FirstStart | null;
}

/** A part that runs alone needs a store that the other parts reach. @throws StartFault */
export function assertStoreFits(config: Config, part: Part): void {
  if (part === 'all' || parseDatabaseUrl(config.databaseUrl).kind === 'postgres') return;
  throw new StartFault(`metergate ${part} needs a PostgreSQL store that all parts share. Set SVC_DATABASE_URL to its address, `
    + 'or run everything on this machine with metergate start.');
}

/**
 * A platform makes the schema and keeps nothing here. A gateway finds the schema, waiting for it if necessary, and keeps its journal in
 * the data directory. Null: a signal came while it waited. @throws StartFault | StoreFault
 */
export async function preparePart(options: PrepareOptions, part: 'gateway' | 'platform', { log, watch, asked, preparer }: Waiting & {
  readonly preparer: StorePreparer;
}): Promise<PreparedData | null> {
  const { config } = options;
  if (part === 'platform') {
    const { masterKey, opened } = await withMasterKey(config, masterKeyForStart(config), (key) => prepareStore(options, preparer, key));
    return { lock: null, masterKey, firstStart: opened };
  }
  const found = await waitingForStore({
    open: () => withMasterKey(config, masterKeyForStart(config), (masterKey) => preparer.prepare({
      databaseUrl: config.databaseUrl, masterKey, firstStart: null,
    })),
    tell: (sentence) => log('warn', sentence), waitsFor: (sentence) => { watch.phase = { cause: 'starting', sentence }; },
    signal: asked, monotonicMs: () => performance.now(),
  });
  if (found === null) return null;
  ensureDataDirectory(config.dataDirectory);
  return { lock: lockDataDirectory(config.dataDirectory), masterKey: found.masterKey, firstStart: null };
}

/**
 * Data directory, locks, master key, store. If one of them cannot be obtained, what this start made before it is removed again.
 * @throws StartFault | StoreFault
 */
export async function prepareData(options: PrepareOptions, preparer: StorePreparer): Promise<PreparedData> {
  const { config } = options;
  const made = ensureDataDirectory(config.dataDirectory);
  const lock = lockDataDirectory(config.dataDirectory);
  const place = parseDatabaseUrl(config.databaseUrl);
  const keyFile = masterKeyFile(config);
  const keyThere = existsSync(keyFile);
  let storeLock: StoreLock | null = null;
  try {
    // Before it is brought up to date: another process may serve from it.
    storeLock = lockOfStore(place);
    const { masterKey, opened: firstStart } = await withMasterKey(config, masterKeyForStart(config), (key) => prepareStore(options, preparer, key));
    storeLock ??= lockOfStore(place);
    return { lock: together([storeLock, lock]), masterKey, firstStart };
  } catch (error) {
    storeLock?.undo();
    const storeThere = place.kind === 'sqlite' && existsSync(place.path);
    // A store file that was created keeps its key: without it the next start could not continue from there.
    // One that another start made has that start's key: ours opens nothing.
    if (!keyThere && (!storeThere || isWrongKey(error))) rmSync(keyFile, { force: true });
    removeMade(config.dataDirectory, made);
    lock.release();
    throw error;
  }
}

/** Null: the store is shared, or not there yet. @throws StartFault */
function lockOfStore(place: StorePlace): StoreLock | null {
  return place.kind === 'sqlite' && existsSync(place.path) ? lockStoreFile(place.path) : null;
}

function together(locks: readonly (DirectoryLock | null)[]): DirectoryLock {
  return {
    files: locks.flatMap((lock) => lock?.files ?? []),
    release() {
      for (const lock of locks) lock?.release();
    },
  };
}

/** Makes the store or brings it up to date, and sets up what a first start does. From then on the store thread owns it. */
function prepareStore(
  { config, env, isTerminal, sandbox }: PrepareOptions, preparer: StorePreparer, masterKey: Uint8Array,
): Promise<FirstStart | null> {
  return preparer.prepare({ databaseUrl: config.databaseUrl, masterKey, firstStart: { env: { ...env }, isTerminal, sandbox } });
}
