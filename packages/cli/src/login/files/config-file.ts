/**
 * A tool's settings file on the disk: read whole, and written so that it is the old one or the new one at every moment. Decision 196.
 * A link stays a link, a file keeps its mode, and a new file is for its owner alone, since a key stands in it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fchmodSync, fsyncSync, lstatSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync,
  writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncDirectoryIfPossible } from '../../config/durable-file.ts';
import type { Unfit } from './edited.ts';

export interface ConfigFile {
  /** As the person knows it. */
  readonly path: string;
  /** Where it really is, behind links. */
  readonly target: string;
  /** Empty if it is not there. */
  readonly text: string;
  readonly exists: boolean;
  /** Others than its owner may read it. */
  readonly readByOthers: boolean;
}

const bytesMax = 1_048_576;

/** The file as it is; not there is a file too. */
export function readConfigFile(path: string): ConfigFile | Unfit {
  const absent = { path, target: path, text: '', exists: false, readByOthers: false };
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return absent;
    const target = realpathSync(path);
    const { size, uid, mode } = statSync(target);
    if (!statSync(target).isFile()) return { unfit: 'is no file' };
    if (size > bytesMax) return { unfit: 'is larger than a megabyte' };
    if (process.getuid !== undefined && uid !== process.getuid()) return { unfit: 'belongs to somebody else' };
    const bytes = readFileSync(target);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes) || text.includes('\0')) return { unfit: 'is not text in UTF-8' };
    return { path, target, text, exists: true, readByOthers: (mode & 0o044) !== 0 };
  } catch (error) {
    return { unfit: `cannot be read (${codeOf(error)})` };
  }
}

/** Directories that are made for it, outermost first. */
export function missingDirectories(path: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(path); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  return missing;
}

/** Replaces the file's text, unless it changed since it was read. Null: done. */
export function writeConfigFile({ path, target, text, exists }: ConfigFile, next: string): Unfit | null {
  try {
    const now = readConfigFile(path);
    if ('unfit' in now) return now;
    if (now.exists !== exists || now.text !== text || now.target !== target) return { unfit: 'changed in the meantime' };
    for (const directory of missingDirectories(target)) mkdirSync(directory, { mode: 0o700 });
    replaceFile(target, next, exists ? statSync(target).mode & 0o7777 : 0o600);
    return null;
  } catch (error) {
    return { unfit: `cannot be written (${codeOf(error)})` };
  }
}

/** @throws what the system throws; then the file is as it was. */
export function replaceFile(target: string, text: string, mode: number): void {
  const part = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  const descriptor = openSync(part, 'wx', 0o600);
  try {
    try {
      writeFileSync(descriptor, text);
      fchmodSync(descriptor, mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  syncDirectoryIfPossible(dirname(target));
}

export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? 'unknown';
}
