/**
 * The master key: from `SVC_MASTER_KEY`, or else from its file in the data directory. The first start creates that file, with mode 0600, and
 * never overwrites one. Rules: Interfaces. A key that cannot be read is a `MasterKeyFault`, whose sentence never contains the key.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@metergate/store/engine/refusal.ts';
import { formatMasterKey, masterKeyBytes, parseMasterKey } from '@metergate/store/sealing/master-key.ts';
import { parseDatabaseUrl } from '@metergate/store/engine/database-url.ts';
import { StartFault } from './start-fault.ts';
import type { Config } from './config.ts';
import { syncDirectoryIfPossible, writeDurably } from './durable-file.ts';

type MasterKeyFaultCode = 'master_key_absent' | 'master_key_unreadable' | 'master_key_malformed';

/** Why there is no master key to work with. Ends a start or a command with exit code 1. */
export class MasterKeyFault extends StartFault {
  readonly code: MasterKeyFaultCode;

  constructor(code: MasterKeyFaultCode, sentence: string) {
    super(sentence);
    this.name = 'MasterKeyFault';
    this.code = code;
  }
}

type KeyPlace = Pick<Config, 'dataDirectory' | 'masterKey' | 'databaseUrl'>;

/** Where the key lies when `SVC_MASTER_KEY` is not set. */
export function masterKeyFile({ dataDirectory }: Pick<Config, 'dataDirectory'>): string {
  return join(dataDirectory, 'master.key');
}

/** The 32 bytes. @throws MasterKeyFault */
export function readMasterKey(config: KeyPlace): Uint8Array {
  if (config.masterKey !== null) return config.masterKey;
  const file = masterKeyFile(config);
  const key = parseMasterKey(textOf(file));
  if (!isRefusal(key)) return key;
  throw new MasterKeyFault('master_key_malformed',
    `The master key file ${file} does not hold 32 bytes in base64. Put the right file back from a backup.`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new MasterKeyFault('master_key_absent',
        `There is no master key: the file ${file} is absent and SVC_MASTER_KEY is not set. Put the key of this store back.`);
    }
    throw new MasterKeyFault('master_key_unreadable',
      `The master key file ${file} cannot be read (${code ?? 'unknown reason'}). Run metergate as its owner, or correct its permissions.`);
  }
}

/**
 * Makes a new key and its file, whole or not at all. The data directory must exist.
 * @throws MasterKeyFault `master_key_unreadable` if the file already exists or cannot be written.
 */
export function createMasterKey(config: Pick<Config, 'dataDirectory'>): Uint8Array {
  const file = masterKeyFile(config);
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`;
  const key = new Uint8Array(randomBytes(masterKeyBytes));
  try {
    writeDurably(draft, `${formatMasterKey(key)}\n`);
    // A link fails if the name is taken; a rename would replace the key that opens the store.
    linkSync(draft, file);
    syncDirectoryIfPossible(config.dataDirectory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new MasterKeyFault('master_key_unreadable', code === 'EEXIST'
      ? `The master key file ${file} exists already. It is never replaced.`
      : unwritableKeyFile(file, code));
  } finally {
    rmSync(draft, { force: true });
  }
  return key;
}

/** Why a key's file could not be written, and what to do about it. */
export function unwritableKeyFile(file: string, code: string | undefined): string {
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return full ? `The master key file ${file} cannot be written: no space is left. Make room on its disk.`
    : `The master key file ${file} cannot be written (${code ?? 'unknown reason'}). Check the permissions of the data directory.`;
}

/** The key that a start works with; the first start makes it. An existing store never gets a new key. @throws MasterKeyFault */
export function masterKeyForStart(config: KeyPlace): Uint8Array {
  const place = parseDatabaseUrl(config.databaseUrl);
  const isNew = config.masterKey === null && !existsSync(masterKeyFile(config)) && place.kind === 'sqlite' && !existsSync(place.path);
  return isNew ? createMasterKey(config) : readMasterKey(config);
}
