/**
 * Segments that a dead process left → complete segments: calls that were opened and never closed are closed as `interrupted`.
 * Rule (rules: Journal): each such call gets exactly one record, even if recovery itself dies at any instant: the rows are written into
 * the segment first, in one frame that also seals it, and shipped like all others. What a dying process had written in part is cut off and
 * reported. A file that cannot be read stops the start: it may hold calls that no one else knows of.
 * The store may have more of a segment than the file: its tail was lost in a power failure, or an older copy of the file was restored. Then
 * calls that the store already has are not closed again, and rows closed here are numbered above all that was ever shipped. The dead process
 * may still be exiting, so recovery waits for it. A segment that another process still holds is taken over when it is released.
 */
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallSink } from './call-sink.ts';
import { DeadSegment } from './dead-segment.ts';
import { openOwner } from './owner-lock.ts';
import { closeInPool, directoryOf, openSegment } from './segment.ts';
import { clearLeftovers, clearLocks, ensureJournalDirectory, listSegments } from './segment-files.ts';
import { convertOldSegment } from './sqlite-form/convert.ts';
import { isOldSegment } from './sqlite-form/old-files.ts';

export interface Recovery {
  /** Paths of the segments taken over; sealed now, ready to ship. */
  readonly dead: readonly string[];
  /** The number of segments left alone because a writer of this process has them. */
  readonly live: number;
  /** Paths of segments that another process still has; they are taken over when it is gone. */
  readonly elsewhere: readonly string[];
  /** Calls closed as `interrupted`. */
  readonly interrupted: number;
}

/** What recovery asks the store. */
type KnownCalls = Pick<CallSink, 'mark' | 'recorded'>;

/** Takes one sentence for the operator. */
type Warn = (sentence: string) => void;

/** The outcome for one segment. */
interface Taken {
  /** Its path now; a segment of an older version gets another name. */
  readonly path: string;
  /** A writer of this process has it. */
  readonly live: boolean;
  /** Calls closed as `interrupted`. */
  readonly interrupted: number;
}

/** A process that was killed keeps its locks until its memory is freed, which takes a while where that is much: so long it is waited for. */
const dyingLooksMax = 20;
const dyingPauseMs = 100;

/**
 * @throws JournalFault `journal_unreadable`, `journal_unwritable`, `journal_newer` or `journal_unsound`, naming the file; the store's fault
 * where it is away.
 */
export async function recoverSegments(directory: string, calls: KnownCalls, warn: Warn = () => {}): Promise<Recovery> {
  ensureJournalDirectory(directory);
  clearLeftovers(directory);
  const dead: string[] = [];
  let elsewhere: string[] = [];
  let live = 0;
  let interrupted = 0;
  let left = listSegments(directory);
  for (let look = 0; ; look += 1) {
    for (const [at, path] of left.entries()) {
      const taken = await takeOver(path, calls, warn);
      if (taken === null) {
        elsewhere.push(path);
        if (look === 0) continue;
        // A process has all of its segments or none.
        elsewhere.push(...left.slice(at + 1));
        break;
      }
      interrupted += taken.interrupted;
      if (taken.live) live += 1;
      else dead.push(taken.path);
    }
    if (elsewhere.length === 0 || look === dyingLooksMax) {
      clearLocks(directory);
      return { dead, live, elsewhere, interrupted };
    }
    await pause(dyingPauseMs);
    // A segment that no longer exists was complete: the other process removed it.
    left = elsewhere.filter((path) => existsSync(path));
    elsewhere = [];
  }
}

/**
 * Closes as `interrupted` what a dead process left open in one segment, and seals it.
 * Null: another process has it. @throws as `recoverSegments`.
 */
export async function takeOver(found: string, calls: KnownCalls, warn: Warn): Promise<Taken | null> {
  const path = isOldSegment(found) ? convertOldSegment(found) : found;
  if (path === null) return null;
  const owner = openOwner(directoryOf(path), ownerOf(path));
  if (owner === null) return null;
  try {
    if (!owner.claim()) return { path, live: true, interrupted: 0 };
    return { path, live: false, interrupted: await lastRites(path, calls, warn) };
  } finally {
    owner.close();
  }
}

function ownerOf(path: string): string {
  const { descriptor, head } = openSegment(path, 'r');
  closeInPool(descriptor);
  return head.owner;
}

async function lastRites(path: string, calls: KnownCalls, warn: Warn): Promise<number> {
  const segment = new DeadSegment(path);
  try {
    if (segment.sealed) {
      segment.confirm();
      return 0;
    }
    const mark = await calls.mark(segment.name, 'anyone');
    const openCalls = segment.openCalls();
    const known = mark > segment.lastSeq ? await calls.recorded(openCalls) : new Set<string>();
    const interrupted = segment.interrupt(openCalls.filter(({ id }) => !known.has(id)), Math.max(mark, segment.lastSeq));
    if (segment.tornBytes > 0) {
      warn(`The journal segment ${path} ended in a write that was never finished: ${segment.tornBytes} bytes were cut off. `
        + 'All that was written before them is kept.');
    }
    return interrupted;
  } finally {
    segment.close();
  }
}
