/**
 * The name of a data directory, created once and stored in it. The next process on the directory takes over what the last one left in the
 * store.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@metergate/core/id.ts';
import { JournalFault } from '../journal/journal-fault.ts';
import { ensureJournalDirectory } from '../journal/segment-files.ts';

const homePattern = /^home_[0-9A-Za-z]{20}$/;

/** The directory's name; a new one if it has none or its name cannot be read. @throws JournalFault `journal_unwritable`. */
export function homeOf(directory: string, randomBytes: (n: number) => Uint8Array): string {
  const file = join(directory, 'home');
  try {
    const known = readFileSync(file, 'utf8').trim();
    if (homePattern.test(known)) return known;
  } catch {
    // It has no name yet.
  }
  ensureJournalDirectory(directory);
  const home = newId('home_', randomBytes);
  try {
    write(file, home);
  } catch (error) {
    throw new JournalFault('journal_unwritable',
      `The file ${file} cannot be written (${String((error as { code?: unknown }).code)}). Check the disk and the rights of its directory.`,
      { cause: error });
  }
  return home;
}

function write(file: string, home: string): void {
  const descriptor = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeFileSync(descriptor, `${home}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
}
