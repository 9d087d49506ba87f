/**
 * A folder in memory for the files of a test run: a tenth of the run's time goes into a disk's bookkeeping, which no test looks at.
 */
import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { availableMemory } from 'node:process';

const mountedAt = '/dev/shm';
/** A run has used 1.6 GB. What is in the folder is memory that the tests cannot have. */
const folderBytes = 4 * 1024 ** 3;
const memoryBytes = 8 * 1024 ** 3;

/** A new folder in memory; null where there is no such file system, it is small, or it runs no programs (the browser is unpacked into it). */
export function createMemoryFolder(): string | null {
  try {
    const [, , type, options] = lastMount(readFileSync('/proc/self/mounts', 'utf8')) ?? [];
    if (type !== 'tmpfs' || options === undefined || /(?:^|,)(?:noexec|ro)(?:,|$)/.test(options)) return null;
    const { bavail, bsize } = statfsSync(mountedAt);
    if (bavail * bsize < folderBytes || availableMemory() < memoryBytes) return null;
    const folder = mkdtempSync(join(mountedAt, 'metergate-tests-'));
    // As in `/tmp`: PostgreSQL refuses to run as root, and then runs as somebody else.
    chmodSync(folder, 0o1777);
    return folder;
  } catch {
    return null;
  }
}

/** Of several mounts at one place the last one counts. */
function lastMount(mounts: string): string[] | undefined {
  return mounts.split('\n').map((line) => line.split(' ')).findLast(([, place]) => place === mountedAt);
}
