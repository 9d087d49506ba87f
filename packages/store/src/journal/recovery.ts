/**
 * Segments that a dead process left → complete segments: calls that were opened and never closed are closed as `interrupted`.
 * Rule (design 2, Journal): each such call gets exactly one record, even if recovery itself dies at any instant: the rows are written into
 * the segment first, in one transaction that also seals it, and shipped like all others. A file that cannot be read stops the start: it may
 * hold calls that no one else knows of.
 * The store may have more of a segment than the file: its tail was lost in a power failure, or an older copy of the file was restored. Then
 * calls that the store already has are not closed again, and rows closed here are numbered above all that was ever shipped. The dead process
 * may still be exiting, so recovery waits for it. A segment that another process still holds is taken over when it is released.
 */
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isElsewhere } from './journal-fault.ts';
import type { CallSink } from './call-sink.ts';
import { ensureJournalDirectory, clearLeftovers, listSegments } from './segment-files.ts';
import { SegmentReader } from './segment-reader.ts';

export interface Recovery {
  /** Paths of the segments taken over; sealed now, ready to ship. */
  readonly dead: readonly string[];
  /** Segments left alone, because a writer of this process has them. */
  readonly live: number;
  /** Paths of those that another process still has: to be taken over when it is gone. */
  readonly elsewhere: readonly string[];
  /** Calls closed as `interrupted`. */
  readonly interrupted: number;
}

/** What recovery asks the store. */
type KnownCalls = Pick<CallSink, 'mark' | 'recorded'>;

/** A process that was killed keeps its locks until its memory is freed, which takes a while where that is much: so long it is waited for. */
const dyingLooksMax = 20;
const dyingPauseMs = 100;

/**
 * @throws JournalFault `journal_unreadable`, `journal_unwritable`, `journal_newer` or `journal_unsound`, naming the file; the store's fault
 * where it is away.
 */
export async function recoverSegments(directory: string, calls: KnownCalls): Promise<Recovery> {
  ensureJournalDirectory(directory);
  clearLeftovers(directory);
  const dead: string[] = [];
  let elsewhere: string[] = [];
  let live = 0;
  let interrupted = 0;
  let left = listSegments(directory);
  for (let look = 0; ; look += 1) {
    for (const [at, path] of left.entries()) {
      const taken = await takeOver(path, calls);
      if (taken === null) {
        elsewhere.push(path);
        if (look === 0) continue;
        // A process has all of its segments or none.
        elsewhere.push(...left.slice(at + 1));
        break;
      }
      interrupted += taken.interrupted;
      if (taken.live) live += 1;
      else dead.push(path);
    }
    if (elsewhere.length === 0 || look === dyingLooksMax) return { dead, live, elsewhere, interrupted };
    await pause(dyingPauseMs);
    // A segment that no longer exists was complete: the other process removed it.
    left = elsewhere.filter((path) => existsSync(path));
    elsewhere = [];
  }
}

/**
 * Closes as `interrupted` what a dead process left open in one segment, and seals it. Live: a writer of this process has it.
 * Null: another process has it. @throws as `recoverSegments`.
 */
export async function takeOver(path: string, calls: KnownCalls): Promise<{ readonly live: boolean; readonly interrupted: number } | null> {
  const reader = openIfHere(path);
  if (reader === null) return null;
  try {
    if (!reader.claim()) return { live: true, interrupted: 0 };
    reader.assertWhole();
    return { live: false, interrupted: reader.sealed ? 0 : await interrupt(reader, calls) };
  } finally {
    reader.close();
  }
}

/** Null: another process has it open. */
function openIfHere(path: string): SegmentReader | null {
  try {
    return new SegmentReader(path);
  } catch (error) {
    if (isElsewhere(error)) return null;
    throw error;
  }
}

async function interrupt(reader: SegmentReader, calls: KnownCalls): Promise<number> {
  const mark = await calls.mark(reader.name);
  const openCalls = reader.openCalls();
  const known = mark > reader.lastSeq ? await calls.recorded(openCalls) : new Set<string>();
  return reader.interrupt(openCalls.filter(({ id }) => !known.has(id)), Math.max(mark, reader.lastSeq));
}
