/**
 * The settings → an open store for one command. A command never creates a data directory, a key or a schema: one sentence says what is
 * missing. @throws StoreFault, MasterKeyFault
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { parseDatabaseUrl, type StorePlace } from '@metergate/store/engine/database-url.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import type { Config } from '../config/config.ts';
import { readMasterKey } from '../config/master-key.ts';
import { withMasterKey } from '../config/pending-master-key.ts';

/** Opens the store as it is. `store_absent` comes before any fault of the master key: without a store no key is missing. */
export async function openExistingStore(config: Config): Promise<Store> {
  const place = parseDatabaseUrl(config.databaseUrl);
  if (place.kind === 'sqlite' && !existsSync(place.path)) throw storeAbsent(place);
  const masterKey = readMasterKey(config);
  try {
    const { opened } = await withMasterKey(config, masterKey, (key) =>
      openStore({ url: config.databaseUrl, masterKey: key, clock: Date.now, randomBytes: (n) => randomBytes(n), create: false }));
    return opened;
  } catch (error) {
    if (error instanceof StoreFault && error.code === 'store_absent') throw storeAbsent(place);
    throw error;
  }
}

function storeAbsent({ kind, name }: StorePlace): StoreFault {
  const advice = kind === 'sqlite' ? 'Start it once with: npx --no-install metergate start (or correct SVC_DATA_DIR).'
    : 'A platform makes it: metergate platform (or correct SVC_DATABASE_URL).';
  return new StoreFault('store_absent', `There is no store at ${name} yet. ${advice}`);
}
