/** Writes files that must survive a power failure whole: the master key and its successor. Errors of the system are thrown as they are. */
import { closeSync, fstatSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { syncDirectory } from '@metergate/store/journal/segment.ts';

/** A new file for its owner alone, written through to the disk. */
export function writeDurably(path: string, text: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    // Not `writeSync`: on a nearly full disk it writes only a part, without an error.
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
    if (fstatSync(descriptor).size !== Buffer.byteLength(text)) throw Object.assign(new Error('The file came out short.'), { code: 'ENOSPC' });
  } finally {
    closeSync(descriptor);
  }
}

/** A rename is durable only with its directory. Some systems cannot open a directory: there, nothing more can be done. */
export function syncDirectoryIfPossible(directory: string): void {
  try {
    syncDirectory(directory);
  } catch {
    // The files themselves are written through.
  }
}
