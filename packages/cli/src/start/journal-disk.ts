/** How much of its disk the journal takes, and how much is left: the store may be away for long, and only the disk bounds what waits. */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const mib = 1_048_576;
const longMib = 64;

export interface JournalDisk {
  /** Total size of the journal's files. */
  readonly bytes: number;
  /** Bytes that may still be written there; null if the system does not say. */
  readonly freeBytes: number | null;
}

/** Reads the size of each file. */
export function journalDiskOf(directory: string): JournalDisk {
  return { bytes: bytesIn(directory), freeBytes: freeBytesOf(directory) };
}

/** A sentence for while it is shipped, which may take minutes before calls are accepted. Null: the journal is as short as usual. */
export function longJournal(directory: string): string | null {
  const left = Math.floor(bytesIn(directory) / mib);
  return left < longMib ? null
    : `The journal has ${left} MiB that an earlier process left. What is not in the store yet is shipped before calls are accepted.`;
}

/** Bytes that may still be written at a path; null if the system does not say. */
export function freeBytesOf(path: string): number | null {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    return blocks === 0 ? null : bavail * bsize;
  } catch {
    return null;
  }
}

/** A segment may be removed while it is looked at. */
function bytesIn(directory: string): number {
  try {
    return readdirSync(directory).reduce((sum, name) => sum + (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0), 0);
  } catch {
    return 0;
  }
}
