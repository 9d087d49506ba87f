/**
 * A segment of an older version → the same segment in the form of this one: same name, same rows, same numbers, so that the store's mark of it
 * holds. It has its name only once it is whole and synced; the old file goes after that, so a conversion that is cut short begins again.
 */
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { brokenSegment, segmentName, syncDirectory } from '../segment.ts';
import { FrameBuffer, headBytes, headFrom, headOf, syncedAt, writeSyncedThrough, type FrameToWrite, type SegmentHead } from '../segment-form.ts';
import { JournalFault } from '../journal-fault.ts';
import { newPathOf, removeOldSegment } from './old-files.ts';
import { readOldSegment, type OldRow } from './sqlite-segment.ts';

/** Rows of one frame. */
const rowsAtOnce = 500;

/** Returns the path of the new file; null if a process has the old one. @throws JournalFault as `readOldSegment`. */
export function convertOldSegment(path: string): string | null {
  const converted = newPathOf(path);
  const making = `${converted}.new`;
  try {
    if (!readOldSegment(path, (rows, sealed) => writeWhole(making, segmentName(converted), framesOf(rows, sealed)))) return null;
    renameSync(making, converted);
    syncDirectory(dirname(path));
  } catch (error) {
    rmSync(making, { force: true });
    throw error instanceof JournalFault ? error : brokenSegment(path, error);
  }
  removeOldSegment(path);
  return converted;
}

function writeWhole(making: string, segment: string, framesToWrite: Iterable<Omit<FrameToWrite, 'seed'>>): void {
  const frames = new FrameBuffer();
  // Nobody holds the lock of this owner: whoever finds the segment takes it over.
  const bytes = headOf({ segment, owner: segment.replace(/^seg/, 'own'), sync: 'full' });
  const { seed } = headFrom(bytes) as SegmentHead;
  const descriptor = openSync(making, 'w', 0o600);
  try {
    let end = headBytes;
    for (const frame of framesToWrite) {
      const length = frames.write({ ...frame, seed });
      write(descriptor, frames.bytes.subarray(0, length), end);
      end += length;
    }
    writeSyncedThrough(bytes, syncedAt, end);
    write(descriptor, bytes, 0);
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Numbers may have gaps: rows that a recovery closed are above the store's mark. */
function* framesOf(rows: Iterable<OldRow>, sealed: boolean): Generator<Omit<FrameToWrite, 'seed'>> {
  let kept: OldRow[] = [];
  let nextSeq = 1;
  const frame = (): Omit<FrameToWrite, 'seed'> => {
    const firstSeq = kept[0]!.seq;
    const made = { rows: kept, firstSeq, gap: firstSeq > nextSeq };
    nextSeq = firstSeq + kept.length;
    kept = [];
    return made;
  };
  for (const row of rows) {
    if (kept.length === rowsAtOnce || (kept.length > 0 && row.seq !== kept[0]!.seq + kept.length)) yield frame();
    kept.push(row);
  }
  if (kept.length > 0) yield frame();
  if (sealed) yield { rows: [], firstSeq: nextSeq, sealed: true };
}

function write(descriptor: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
}
