/**
 * A segment whose process is dead: what it left open, and its last rites. To be used only while its owner's lock is claimed.
 */
import { closeSync, fdatasyncSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { interruptedRecord, type CallOpening } from '@metergate/core/record/call-record.ts';
import { FrameWalk, type FramePlace, type Tail } from './frame-walk.ts';
import { openingFromText, recordToText, rowIdOf, rowIdWithin, rowKind } from './row.ts';
import { brokenSegment, openSegment, segmentName, unreadableSegment, type MadeSegment } from './segment.ts';
import {
  eachRow, FrameBuffer, readSyncedThrough, syncedAt, syncedBytes, writeSyncedThrough, type SegmentFrame,
} from './segment-form.ts';
import { JournalFault } from './journal-fault.ts';

export class DeadSegment {
  readonly path: string;
  /** The segment's name, as the store's mark has it. */
  readonly name: string;
  /** No row follows, and every call opened here is closed. */
  readonly sealed: boolean;
  /** Bytes behind the last whole frame that must be cut: an unfinished write. */
  readonly tornBytes: number;
  readonly #made: MadeSegment;
  readonly #end: FramePlace;
  /** Text of what was opened and not closed, in the order of opening. */
  readonly #open = new Map<string, string>();

  /** Reads all of it. @throws JournalFault as `openSegment`; `journal_unreadable` where it is damaged in its middle. */
  constructor(path: string) {
    this.path = path;
    this.name = segmentName(path);
    this.#made = openSegment(path, 'r+');
    try {
      const { descriptor, head } = this.#made;
      const walk = new FrameWalk(descriptor, head);
      let sealed = false;
      for (let frame = walk.next(); frame !== null && !sealed; frame = sealed ? null : walk.next()) {
        this.#note(frame);
        sealed = frame.sealed;
      }
      this.sealed = sealed;
      this.#end = walk.place;
      this.tornBytes = sealed ? 0 : this.#torn(walk.tail());
    } catch (error) {
      closeSync(this.#made.descriptor);
      throw error instanceof JournalFault ? error : brokenSegment(path, error);
    }
  }

  /** Number of the last row; 0 if there is none. */
  get lastSeq(): number {
    return this.#end.seq - 1;
  }

  /** What was opened here and not closed, in the order of opening. @throws JournalFault where a row cannot be read. */
  openCalls(): CallOpening[] {
    try {
      return [...this.#open.values()].map((text) => openingFromText(text));
    } catch (error) {
      throw unreadableSegment(this.path, 'an opening is not one of this version', error);
    }
  }

  /**
   * Cuts what is torn, closes these calls as `interrupted`, in rows numbered from above `after`, and seals: one frame, so that a second
   * attempt finds either nothing or all of it done, and each row keeps its `seq`. Returns how many it closed.
   * @throws JournalFault where it cannot be written.
   */
  interrupt(openings: readonly CallOpening[], after: number): number {
    const { descriptor, head } = this.#made;
    const frames = new FrameBuffer();
    const rows = openings.map((opening) => ({ kind: rowKind.closed, body: recordToText(interruptedRecord(opening)) }));
    const bytes = frames.write({ rows, firstSeq: after + 1, sealed: true, gap: after > this.lastSeq, seed: head.seed });
    const end = this.#end.offset;
    try {
      ftruncateSync(descriptor, end);
      try {
        for (let done = 0; done < bytes;) done += writeSync(descriptor, frames.bytes, done, bytes - done, end + done);
        fdatasyncSync(descriptor);
      } catch (error) {
        ftruncateSync(descriptor, end);
        throw error;
      }
      if (head.sync === 'full') writeSync(descriptor, syncedThrough(end + bytes), 0, syncedBytes, syncedAt);
      return openings.length;
    } catch (error) {
      throw brokenSegment(this.path, error);
    }
  }

  /** Has the head say that all of a sealed segment is synced, where the process died before it did: readers go no further than that. */
  confirm(): void {
    const { descriptor, head } = this.#made;
    if (head.sync === 'normal' || this.#syncedThrough() >= this.#end.offset) return;
    try {
      fdatasyncSync(descriptor);
      writeSync(descriptor, syncedThrough(this.#end.offset), 0, syncedBytes, syncedAt);
    } catch (error) {
      throw brokenSegment(this.path, error);
    }
  }

  close(): void {
    closeSync(this.#made.descriptor);
  }

  #note(frame: SegmentFrame): void {
    let at = 0;
    try {
      eachRow(frame, (seq, kind, from, to) => {
        at = seq;
        if (kind === rowKind.opened || kind === rowKind.openedRun) {
          const text = frame.bytes.toString('utf8', from, to);
          this.#open.set(rowIdOf(text), text);
        } else if (kind === rowKind.closed) {
          this.#open.delete(rowIdOf(frame.bytes.toString('latin1', from, Math.min(to, from + rowIdWithin))));
        }
        return true;
      });
    } catch (error) {
      throw unreadableSegment(this.path, `row ${at} is not one of this version`, error);
    }
  }

  /**
   * How much of what follows the last whole frame is a write that never ended. Under `normal` a power failure may have taken pages from the
   * middle of what was not yet on the disk: like all behind the first of them, they were never promised to outlive it.
   * @throws JournalFault `journal_unreadable` where rows are missing that were acknowledged.
   */
  #torn(tail: Tail): number {
    const { offset } = this.#end;
    const lost = (tail.damaged && !tail.unwritten) || offset < this.#syncedThrough();
    if (lost) throw unreadableSegment(this.path, `it is damaged at byte ${offset}`);
    return tail.blank ? 0 : tail.bytes;
  }

  /** 0 if it is not known. */
  #syncedThrough(): number {
    if (this.#made.head.sync === 'normal') return 0;
    const bytes = Buffer.alloc(syncedBytes);
    readSync(this.#made.descriptor, bytes, 0, syncedBytes, syncedAt);
    return readSyncedThrough(bytes, 0) ?? 0;
  }
}

function syncedThrough(offset: number): Buffer {
  const bytes = Buffer.alloc(syncedBytes);
  writeSyncedThrough(bytes, 0, offset);
  return bytes;
}
