/**
 * Segments that a dead process left → complete segments: what was opened and never closed is closed as `interrupted`.
 * Rule (design 2, Journal): each such call gets exactly one record, also when recovery itself dies at any instant:
 * the rows are written into the segment first, in one transaction that also seals it, and shipped like all others.
 * A file that cannot be read stops the start: it may hold calls that no one else knows of.
 * The store may have more of a segment than the file has: its tail went with the power, or an older copy of it was restored.
 * Then what the store has already is not closed again, and what is closed here is numbered above all that was ever shipped.
 */
import { JournalFault } from './journal-fault.ts';
import type { CallSink } from './shipper.ts';
import { ensureJournalDirectory, clearLeftovers, listSegments } from './segment-files.ts';
import { SegmentReader } from './segment-reader.ts';

export interface Recovery {
  /** Paths of the segments taken over; sealed now, ready to ship. */
  readonly dead: readonly string[];
  /** Segments left alone, because their writer lives. */
  readonly live: number;
  /** Calls closed as `interrupted`. */
  readonly interrupted: number;
}

/** @throws JournalFault `journal_unreadable`, `journal_newer` or `journal_unsound`, naming the file; the store's fault where it is away. */
export async function recoverSegments(directory: string, calls: Pick<CallSink, 'mark' | 'recorded'>): Promise<Recovery> {
  ensureJournalDirectory(directory);
  clearLeftovers(directory);
  const dead: string[] = [];
  let live = 0;
  let interrupted = 0;
  for (const path of listSegments(directory)) {
    const reader = openIfHere(path);
    if (reader === null) {
      live += 1;
      continue;
    }
    try {
      if (!reader.claim()) {
        live += 1;
        continue;
      }
      reader.assertWhole();
      if (!reader.sealed) interrupted += await interrupt(reader, calls);
      dead.push(path);
    } finally {
      reader.close();
    }
  }
  return { dead, live, interrupted };
}

/** Null: another process has it open. */
function openIfHere(path: string): SegmentReader | null {
  try {
    return new SegmentReader(path);
  } catch (error) {
    if (error instanceof JournalFault && error.code === 'journal_elsewhere') return null;
    throw error;
  }
}

async function interrupt(reader: SegmentReader, calls: Pick<CallSink, 'mark' | 'recorded'>): Promise<number> {
  const mark = await calls.mark(reader.name);
  const openCalls = reader.openCalls();
  const known = mark > reader.lastSeq ? await calls.recorded(openCalls) : new Set<string>();
  return reader.interrupt(openCalls.filter(({ id }) => !known.has(id)), Math.max(mark, reader.lastSeq));
}
