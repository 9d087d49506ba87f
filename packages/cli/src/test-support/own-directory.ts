/** A separate data directory for a test, with a master key and a store, as a first start makes it. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@metergate/store/store.ts';
import { createMasterKey, readMasterKey } from '../config/master-key.ts';

export interface OwnDirectory {
  /** Contains the data directory, and has room for the test's files. */
  readonly root: string;
  readonly dataDirectory: string;
  /** Makes the data directory, the master key and an empty store. */
  make(): Promise<void>;
  inStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result>;
  /** Removes all of it. */
  remove(): void;
}

export function ownDirectory(): OwnDirectory {
  const root = mkdtempSync(join(tmpdir(), 'metergate-own-directory-'));
  const dataDirectory = join(root, 'data');
  const place = { dataDirectory, masterKey: null, databaseUrl: `sqlite:${join(dataDirectory, 'metergate.db')}` };
  const opened = (masterKey: Uint8Array, create: boolean): Promise<Store> =>
    openStore({ url: place.databaseUrl, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create });
  return {
    root, dataDirectory,
    async make() {
      mkdirSync(dataDirectory, { mode: 0o700 });
      await (await opened(createMasterKey(place), true)).close();
    },
    async inStore(work) {
      const store = await opened(readMasterKey(place), false);
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
