/**
 * The master key's file across a rotation. The new key is written beside it, the store is rotated, then the new file takes
 * the old one's place: whenever the process dies, one of the two files opens the store, and the next command or start finds out which. A lock
 * that ends with the process allows one rotation at a time.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { isRefusal } from '@metergate/store/engine/refusal.ts';
import { formatMasterKey, parseMasterKey } from '@metergate/store/sealing/master-key.ts';
import type { Config } from './config.ts';
import { syncDirectoryIfPossible, writeDurably } from './durable-file.ts';
import { masterKeyFile } from './master-key.ts';

type KeyPlace = Pick<Config, 'dataDirectory' | 'masterKey'>;

export interface PendingMasterKey {
  /** The store has the new key: its file takes the old one's place. */
  commit(): void;
  /** The store still has the old key. */
  cancel(): void;
}

/** Null: another rotation is under way. Throws the system's error if the file cannot be written. */
export function beginPendingMasterKey(config: KeyPlace, newKey: Uint8Array): PendingMasterKey | null {
  const lock = lockRotation(config);
  if (lock === null) return null;
  const pending = pendingFile(config);
  const draft = `${pending}.${randomBytes(6).toString('hex')}`;
  const end = (work: () => void): void => {
    try {
      work();
    } finally {
      lock.close();
    }
  };
  try {
    writeDurably(draft, `${formatMasterKey(newKey)}\n`);
    renameSync(draft, pending);
    syncDirectoryIfPossible(config.dataDirectory);
  } catch (error) {
    end(() => rmSync(draft, { force: true }));
    throw error;
  }
  return { commit: () => end(() => promote(config)), cancel: () => end(() => rmSync(pending, { force: true })) };
}

/**
 * Opens with the given key or, if a rotation was cut off after the store had the new one, with that, whose file then
 * takes its place. Rejects as `open` does.
 */
export async function withMasterKey<Opened>(
  config: KeyPlace, masterKey: Uint8Array, open: (masterKey: Uint8Array) => Promise<Opened>,
): Promise<{ readonly masterKey: Uint8Array; readonly opened: Opened }> {
  try {
    return { masterKey, opened: await open(masterKey) };
  } catch (error) {
    const pending = isWrongKey(error) && config.masterKey === null ? readPending(config) : null;
    if (pending === null) throw error;
    try {
      const opened = await open(pending);
      const lock = lockRotation(config);
      // A rotation in progress puts the file in place itself.
      if (lock !== null) {
        if (readPending(config) !== null) promote(config);
        lock.close();
      }
      return { masterKey: pending, opened };
    } catch (second) {
      throw isWrongKey(second) ? error : second;
    }
  }
}

/** The store was made with another key. */
export function isWrongKey(error: unknown): boolean {
  return error instanceof StoreFault && error.code === 'wrong_master_key';
}

function pendingFile(config: KeyPlace): string {
  return `${masterKeyFile(config)}.next`;
}

function readPending(config: KeyPlace): Uint8Array | null {
  try {
    const key = parseMasterKey(readFileSync(pendingFile(config), 'utf8'));
    return isRefusal(key) ? null : key;
  } catch {
    return null;
  }
}

function promote(config: KeyPlace): void {
  renameSync(pendingFile(config), masterKeyFile(config));
  syncDirectoryIfPossible(config.dataDirectory);
}

function lockRotation(config: KeyPlace): DatabaseSync | null {
  const lock = new DatabaseSync(`${masterKeyFile(config)}.lock`);
  try {
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    return null;
  }
}
