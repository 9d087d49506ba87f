/**
 * The journal directory → its segments, and their removal. `seg_X.log` is a segment; `seg_X.log.new` was never used; `own_X.lock` tells whether
 * the journal that wrote a segment lives. `seg_X.db` is one of an older version (`sqlite-form`).
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { idPrefix } from '@metergate/core/id.ts';
import { JournalFault, systemCode } from './journal-fault.ts';
import { sweepOwners } from './owner-lock.ts';
import { closeInPool, openSegment } from './segment.ts';
import { clearOldLeftovers, isOldSegment } from './sqlite-form/old-files.ts';

// oxlint-disable-next-line linear/expressions -- put together from a constant; names of files are short
const segmentFile = new RegExp(`^${idPrefix.segment}[0-9A-Za-z]{20}\\.log$`);
// oxlint-disable-next-line linear/expressions -- put together from a constant; names of files are short
const unusedFile = new RegExp(`^(?:${idPrefix.segment}[0-9A-Za-z]{20}\\.log|own_[0-9A-Za-z]{20}\\.lock)\\.new$`);

/** Makes the directory where it does not exist; only its owner may enter. @throws JournalFault `journal_unwritable`. */
export function ensureJournalDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new JournalFault('journal_unwritable',
      `The journal directory ${directory} cannot be made (${String((error as { code?: unknown }).code)}). Check the rights above it.`,
      { cause: error });
  }
}

/** Paths of all segments present, those of an older version among them, in no order. None where the directory was removed. */
export function listSegments(directory: string): string[] {
  return namesIn(directory).filter((name) => segmentFile.test(name) || isOldSegment(name)).map((name) => join(directory, name));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * At boot, before any journal is written: drops what was never used, and finishes what a crash cut short of segments of an older version.
 * @throws JournalFault `journal_unreadable` where a part of such a segment is missing.
 */
export function clearLeftovers(directory: string): void {
  for (const name of readdirSync(directory)) if (unusedFile.test(name)) removeAbandoned(join(directory, name));
  clearOldLeftovers(directory);
}

/** Removes the locks that no segment needs any more. A head that cannot be read is reported by the recovery of its segment. */
export function clearLocks(directory: string): void {
  if (!existsSync(directory)) return;
  const owners = new Set<string>();
  for (const path of listSegments(directory)) {
    if (isOldSegment(path)) continue;
    try {
      const { descriptor, head } = openSegment(path, 'r');
      closeInPool(descriptor);
      owners.add(head.owner);
    } catch {
      return;
    }
  }
  sweepOwners(directory, owners);
}

/**
 * Removes a segment that is complete and shipped. The writer may still hold it open. @throws JournalFault `journal_unwritable`; nothing was
 * done then.
 */
export function removeSegment(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw new JournalFault('journal_unwritable',
      `The journal segment ${path} cannot be removed (${systemCode(error)}). All of it is in the store. `
      + 'Check the permissions of its directory.',
      { cause: error });
  }
}

/** What is in the making may be a live journal's own; it is in the making for milliseconds, but for a segment made ahead of need. */
function removeAbandoned(path: string): void {
  const madeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  if (Date.now() - madeMs > 60_000) rmSync(path, { force: true });
}
