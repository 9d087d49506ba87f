/**
 * Says where a start keeps its data and which master key opens it, and what a command in another shell must be given to work on the same
 * data. A command that does not know this finds another store, or none.
 */
import { isAbsolute, join, relative } from 'node:path';
import { parseDatabaseUrl } from '@metergate/store/engine/database-url.ts';
import type { Config } from '../config/config.ts';
import { inShell } from '../config/in-shell.ts';

export interface KeptData {
  /** `Data is kept in …`. */
  readonly sentence: string;
  /** What a command must begin with, such as `SVC_DATA_DIR=./sandbox `; empty if the defaults lead there. */
  readonly prefix: string;
  /** Variables that commands need with this start's values, which must not be shown. */
  readonly variables: readonly string[];
}

type DataPlace = Pick<Config, 'dataDirectory' | 'databaseUrl' | 'masterKey'>;

/** `cwd`: where the start was called, and where commands are. */
export function keptData({ dataDirectory, databaseUrl, masterKey }: DataPlace, cwd: string): KeptData {
  const place = parseDatabaseUrl(databaseUrl);
  const ownStore = place.kind === 'sqlite' && place.path === join(dataDirectory, 'metergate.db');
  const where = ownStore ? dataDirectory : place.kind === 'sqlite' ? `${dataDirectory} and ${place.path}` : `PostgreSQL at ${place.name}`;
  const key = masterKey === null ? 'the master key in it' : 'the key in SVC_MASTER_KEY';
  const elsewhere = place.kind === 'sqlite' && dataDirectory !== join(cwd, 'data');
  return {
    sentence: `Data is kept in ${where}. Keep it safe: ${key} opens your provider keys.`,
    prefix: elsewhere ? `SVC_DATA_DIR=${inShell(fromHere(dataDirectory, cwd))} ` : '',
    variables: [...(ownStore ? [] : ['SVC_DATABASE_URL']), ...(masterKey === null ? [] : ['SVC_MASTER_KEY'])],
  };
}

function fromHere(directory: string, cwd: string): string {
  const path = relative(cwd, directory);
  return path.startsWith('..') || isAbsolute(path) ? directory : `./${path}`;
}
