/**
 * The journal directory → its segments; and the removal of a segment, in an order that stays unambiguous after a crash. `seg_X.db` (with
 * `-wal`, `-shm`, `-journal` beside it) is a whole segment. `seg_X.db.new` was never used. `seg_X.done` was complete and shipped: the rest of
 * it may be deleted. A log without either is a loss, and is reported.
 */
import { close, ftruncate, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { idPrefix } from '@metergate/core/id.ts';
import { JournalFault } from './journal-fault.ts';
import { unreadable } from './segment.ts';

const segmentFile = new RegExp(`^(${idPrefix.segment}[0-9A-Za-z]{20})\\.(db(?:\\.new)?(?:-[a-z]+)?|done)$`);

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

/** Paths of all segments present, in no order. */
export function listSegments(directory: string): string[] {
  return readdirSync(directory).filter((name) => segmentFile.exec(name)?.[2] === 'db').map((name) => join(directory, name));
}

/**
 * At boot, before any journal is written: finishes removals that a crash cut short and drops what was never used.
 * @throws JournalFault `journal_unreadable` where a log lies without its segment.
 */
export function clearLeftovers(directory: string): void {
  const names = readdirSync(directory);
  const present = new Set(names);
  for (const name of names) {
    const [, segment, ending] = segmentFile.exec(name) ?? [];
    if (segment === undefined || ending === undefined) continue;
    if (ending === 'done') finishRemoval(directory, segment);
    else if (ending.startsWith('db.new')) removeAbandoned(join(directory, name));
  }
  for (const name of names) {
    const [, segment, ending] = segmentFile.exec(name) ?? [];
    if (ending !== 'db-wal' && ending !== 'db-journal') continue;
    if (present.has(`${segment}.db`) || present.has(`${segment}.done`)) continue;
    throw unreadable(join(directory, `${segment}.db`), `only its log ${name} is left`);
  }
}

/**
 * Removes a segment that is complete and shipped. Connections still open to it close without touching the disk. @throws JournalFault
 * `journal_unwritable`; where `closeReader` was not called by then, nothing was done.
 */
export function removeSegment(path: string, closeReader: () => void): void {
  const directory = join(path, '..');
  const segment = path.slice(directory.length + 1, -'.db'.length);
  try {
    renameSync(path, join(directory, `${segment}.done`));
    closeReader();
    finishRemoval(directory, segment);
  } catch (error) {
    throw new JournalFault('journal_unwritable',
      `The journal segment ${path} cannot be removed (${String((error as { code?: unknown }).code)}). All of it is in the store. `
      + 'Check the rights of its directory.',
      { cause: error });
  }
}

/** A segment in the making may be a live writer's own; it is in the making for milliseconds. */
function removeAbandoned(path: string): void {
  const madeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  if (Date.now() - madeMs > 60_000) rmSync(path, { force: true });
}

function finishRemoval(directory: string, segment: string): void {
  for (const suffix of ['.db-wal', '.db-shm', '.db-journal', '.done']) removeFreed(join(directory, segment + suffix));
}

/**
 * Removes a file and gives its space back on a thread of the pool. The writer may still hold it open: whoever lets go of a file last
 * pays for freeing its pages, 50 ms for a log of 40 MB, and the gateway thread must not be the one. Nobody reads it any more.
 */
function removeFreed(path: string): void {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, 'r+');
  } catch {
    // It is not there, or may not be opened: it is removed all the same, where it can be.
  }
  try {
    rmSync(path, { force: true });
  } finally {
    if (descriptor !== null) freeInBackground(descriptor);
  }
}

function freeInBackground(descriptor: number): void {
  ftruncate(descriptor, 0, () => close(descriptor));
}
