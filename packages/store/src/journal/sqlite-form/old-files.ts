/**
 * Files of segments as earlier versions wrote them: `seg_X.db`, with `-wal`, `-shm`, `-journal` beside it, is a whole segment; `seg_X.db.new`
 * was never used; `seg_X.done` was complete and shipped, or is written again: the rest of it may be deleted. A log without either is a
 * loss, and is reported.
 */
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { idPrefix } from '@metergate/core/id.ts';
import { JournalFault, systemCode } from '../journal-fault.ts';
import { segmentEnding, unreadableSegment } from '../segment.ts';

// oxlint-disable-next-line linear/expressions -- put together from a constant; names of files are short
const oldFile = new RegExp(`^(${idPrefix.segment}[0-9A-Za-z]{20})\\.(db(?:\\.new)?(?:-[a-z]+)?|done)$`);

/** Says whether a file, by its name or path, is a segment of the older form. */
export function isOldSegment(path: string): boolean {
  return oldFile.exec(basename(path))?.[2] === 'db';
}

/** The file that holds such a segment once it is written again. */
export function newPathOf(path: string): string {
  return join(dirname(path), basename(path, '.db') + segmentEnding);
}

/** Finishes removals that a crash cut short and drops what was never used. @throws JournalFault where a log lies without its segment. */
export function clearOldLeftovers(directory: string): void {
  const names = readdirSync(directory);
  const present = new Set(names);
  for (const name of names) {
    const [, segment, ending] = oldFile.exec(name) ?? [];
    if (segment === undefined || ending === undefined) continue;
    if (ending === 'done') finishRemoval(directory, segment);
    else if (ending.startsWith('db.new')) removeAbandoned(join(directory, name));
    // Written again, and whole: it has its name.
    else if (ending === 'db' && present.has(segment + segmentEnding)) removeOldSegment(join(directory, name));
  }
  for (const name of names) {
    const [, segment, ending] = oldFile.exec(name) ?? [];
    if (ending !== 'db-wal' && ending !== 'db-journal') continue;
    if (present.has(`${segment}.db`) || present.has(`${segment}.done`)) continue;
    throw unreadableSegment(join(directory, `${segment}.db`), `only its log ${name} is left`);
  }
}

/** Removes a segment of which nothing is needed any more. @throws JournalFault `journal_unwritable` */
export function removeOldSegment(path: string): void {
  const directory = dirname(path);
  const segment = basename(path, '.db');
  try {
    renameSync(path, join(directory, `${segment}.done`));
    finishRemoval(directory, segment);
  } catch (error) {
    throw new JournalFault('journal_unwritable',
      `The journal segment ${path} cannot be removed (${systemCode(error)}). Nothing of it is needed any more. Check the rights of its directory.`,
      { cause: error });
  }
}

function finishRemoval(directory: string, segment: string): void {
  for (const suffix of ['.db-wal', '.db-shm', '.db-journal', '.done']) rmSync(join(directory, segment + suffix), { force: true });
}

function removeAbandoned(path: string): void {
  const madeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  if (Date.now() - madeMs > 60_000) rmSync(path, { force: true });
}
