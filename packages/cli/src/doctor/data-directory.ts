/** The data directory and the master key's file: whether they exist, have room left, are usable by us, and by nobody else. It changes nothing. */
import { accessSync, constants, statSync, type Stats } from 'node:fs';
import type { Config } from '../config/config.ts';
import { inShell } from '../config/in-shell.ts';
import { masterKeyFile } from '../config/master-key.ts';
import { freeBytesOf } from '../start/journal-disk.ts';
import { finding, type Finding } from './finding.ts';

const mib = 1_048_576;
/** With less than this the journal may be full at any moment, and calls are then refused. */
const freeFailBytes = 4 * mib;
const freeWarnBytes = 512 * mib;

/** `shared`: the store is elsewhere, and only a gateway keeps something here. `freeBytesOf`: null if the system does not say. */
export function examineDataDirectory(
  directory: string,
  { shared = false, freeBytesOf: freeAt = freeBytesOf }: { readonly shared?: boolean; readonly freeBytesOf?: (path: string) => number | null } = {},
): Finding {
  const name = 'data directory';
  const found = statOf(directory);
  if (found === 'ENOENT' && shared) {
    return finding(name, 'ok', `${directory} does not exist: no gateway has run with it. The first start of one makes it: metergate gateway`);
  }
  if (found === 'ENOENT') return finding(name, 'warn', `${directory} does not exist yet. The first start makes it: npx --no-install metergate start`);
  if (typeof found === 'string') {
    return finding(name, 'fail', `${directory} cannot be looked at (${found}). Check its rights, or set SVC_DATA_DIR.`);
  }
  if (!found.isDirectory()) return finding(name, 'fail', `${directory} is not a directory. Set SVC_DATA_DIR to one.`);
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return finding(name, 'fail', `${directory} cannot be read and written by this user. Check its rights.`);
  }
  const free = freeAt(directory);
  if (free !== null && free < freeWarnBytes) {
    return finding(name, free < freeFailBytes ? 'fail' : 'warn',
      `The disk of ${directory} has ${Math.floor(free / mib)} MiB left. Make room: calls are refused once the journal has none.`);
  }
  if (isOpenToOthers(found)) return finding(name, 'warn', `${directory} is open to other users. Close it with: chmod 700 ${inShell(directory)}`);
  return finding(name, 'ok', `${directory} is there and writable.`);
}

/** Only for a key that was read and fits: the permissions of its file remain to be checked. */
export function examineMasterKeyFile(config: Pick<Config, 'dataDirectory' | 'masterKey'>): Finding {
  if (config.masterKey !== null) return finding('master key', 'ok', 'SVC_MASTER_KEY fits the store.');
  const file = masterKeyFile(config);
  const found = statOf(file);
  if (typeof found !== 'string' && isOpenToOthers(found)) {
    return finding('master key', 'warn', `${file} fits the store, but other users may read it. Close it with: chmod 600 ${inShell(file)}`);
  }
  return finding('master key', 'ok', `${file} fits the store.`);
}

function statOf(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown reason';
  }
}

/** Windows keeps permissions elsewhere; there the mode means nothing. */
function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}
