/**
 * The reading side of one segment, on another thread than its writer: what is closed after a mark, and whether it is sealed. Reads to the last
 * whole frame, under `full` to the last that is known to be synced, and never holds up the writer.
 */
import { readSync } from 'node:fs';
import { giveWay } from '../threads/give-way.ts';
import { openOwner, type OwnerHandle } from './owner-lock.ts';
import { FrameWalk, firstPlace, type FramePlace } from './frame-walk.ts';
import { beginningFromText, endFromText, openingFromText, recordFromText, rowKind, rowOrganizationOf, tighteningFromText } from './row.ts';
import type { RunEvent } from './run-event.ts';
import { brokenSegment, closeInPool, directoryOf, elsewhere, openSegment, segmentName, unreadableSegment, type MadeSegment } from './segment.ts';
import { eachRow, readSyncedThrough, syncedAt, syncedBytes, type SegmentFrame } from './segment-form.ts';
import { JournalFault } from './journal-fault.ts';
import type { ClosedRow, RunRow } from './call-sink.ts';

/** What the store is to receive, in the order of the segment. */
export interface DueRows {
  readonly records: readonly ClosedRow[];
  readonly runEvents: readonly RunRow[];
  /** The number of both together. */
  readonly count: number;
  /** `seq` of the last of them; if there are none, what was asked from. */
  readonly through: number;
  /** No row follows these, now or ever. */
  readonly sealed: boolean;
}

/** How far the file was walked for a mark: what lies between `mark` and `walked` is not due. `place`: of the frame of `walked`, or behind it. */
interface Cursor {
  readonly mark: number;
  readonly place: FramePlace;
  readonly walked: number;
}

export class SegmentReader {
  readonly path: string;
  /** The segment's name, as the store's mark has it. */
  readonly name: string;
  readonly #made: MadeSegment;
  readonly #owner: OwnerHandle;
  readonly #synced = Buffer.alloc(syncedBytes);
  /** Where the last batch ended, and where it began: a batch that failed is asked for again. */
  #cursor: Cursor = { mark: 0, place: firstPlace, walked: 0 };
  #before: Cursor = this.#cursor;

  readonly #takes: () => ((organization: string) => boolean) | null;

  /** `takes`: of which organizations rows are read; null: of all. @throws JournalFault as `openSegment`, `journal_elsewhere`. */
  constructor(path: string, takes: () => ((organization: string) => boolean) | null = () => null) {
    this.path = path;
    this.#takes = takes;
    this.name = segmentName(path);
    this.#made = openSegment(path, 'r');
    try {
      const owner = openOwner(directoryOf(path), this.#made.head.owner);
      if (owner === null) throw elsewhere(path);
      this.#owner = owner;
    } catch (error) {
      closeInPool(this.#made.descriptor);
      throw error;
    }
  }

  /** At most `limit` rows after `seq` that the store must have: all but openings that begin no run. @throws JournalFault where one cannot be read. */
  dueAfter(seq: number, limit: number): DueRows {
    const begin = this.#cursorAt(seq);
    const walk = this.#walkFrom(begin.place);
    const due = { records: [] as ClosedRow[], runEvents: [] as RunRow[], count: 0, through: seq, sealed: false };
    let { place, walked } = begin;
    while (due.count < limit && !due.sealed) {
      const at = walk.place;
      const frame = this.#next(walk);
      if (frame === null) break;
      walked = this.#collect(frame, walked, limit, due);
      // A frame that is not at its end is looked at again, from the row that follows; the last one, because it says that it is.
      place = walked >= frame.firstSeq + frame.rows - 1 && !frame.sealed ? walk.place : at;
      due.sealed = frame.sealed && due.count < limit;
    }
    this.#before = begin;
    this.#cursor = { mark: due.through, place, walked: Math.max(walked, due.through) };
    return due;
  }

  /** Adds what is due of a frame; returns the number of the last row that was looked at. */
  #collect(
    frame: SegmentFrame, walked: number, limit: number, due: { records: ClosedRow[]; runEvents: RunRow[]; count: number; through: number },
  ): number {
    const takes = this.#takes();
    let last = walked;
    try {
      eachRow(frame, (seq, kind, from, to) => {
        if (seq <= walked) return true;
        last = seq;
        if (kind === rowKind.opened) return true;
        giveWay();
        const text = frame.bytes.toString('utf8', from, to);
        if (takes !== null && !takes(rowOrganizationOf(kind, text))) return true;
        if (kind === rowKind.closed || kind === rowKind.settled) due.records.push({ seq, record: recordFromText(text) });
        else due.runEvents.push({ seq, event: runEventFrom(kind, text) });
        due.count += 1;
        due.through = seq;
        return due.count < limit;
      });
    } catch (error) {
      // What is thrown for a row may quote it, so it is not passed on.
      throw unreadableSegment(this.path, `row ${last} is not one of this version`, error);
    }
    return last;
  }

  #cursorAt(seq: number): Cursor {
    for (const cursor of [this.#cursor, this.#before]) if (cursor.mark === seq) return cursor;
    return { mark: seq, place: firstPlace, walked: seq };
  }

  #walkFrom(place: FramePlace): FrameWalk {
    const { descriptor, head } = this.#made;
    if (head.sync === 'normal') return new FrameWalk(descriptor, head, place);
    try {
      readSync(descriptor, this.#synced, 0, syncedBytes, syncedAt);
    } catch (error) {
      throw brokenSegment(this.path, error);
    }
    return new FrameWalk(descriptor, head, place, readSyncedThrough(this.#synced, 0) ?? place.offset);
  }

  /** Null: no whole frame follows yet. @throws JournalFault */
  #next(walk: FrameWalk): SegmentFrame | null {
    try {
      const frame = walk.next();
      if (frame !== null || !walk.tail().damaged) return frame;
      // The writer may have written all of it since it was read: then it is whole by now.
      walk.refresh();
      const again = walk.next();
      if (again !== null) return again;
    } catch (error) {
      throw error instanceof JournalFault ? error : brokenSegment(this.path, error);
    }
    throw unreadableSegment(this.path, `it is damaged at byte ${walk.place.offset}`);
  }

  close(): void {
    closeInPool(this.#made.descriptor);
    this.#owner.close();
  }
}

function runEventFrom(kind: number, text: string): RunEvent {
  if (kind === rowKind.openedRun) return { ...beginningFromText(text), key: openingFromText(text).key };
  return kind === rowKind.runEnded ? endFromText(text) : tighteningFromText(text);
}
