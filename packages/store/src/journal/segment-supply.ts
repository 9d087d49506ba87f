/**
 * Prepares the next segment for the journal's writer: its file already exists and is synced when the current one is full, so that the gateway
 * thread does not wait for the disk. If none is ready, one is created on the spot.
 */
import { discardSegment, makeSegment, nameSegment, prepareSegment, type SegmentPlace } from './segment.ts';
import { SegmentWriter } from './segment-writer.ts';

export interface SegmentSupply {
  /** An empty segment, open for writing. @throws JournalFault `journal_unwritable`, `journal_unsound`. */
  next(): SegmentWriter;
  /** Begins to make one ready, where none is and none is being made. */
  prepare(): void;
  /** Nothing may be asked of it afterwards. */
  end(): void;
}

export function createSegmentSupply(place: SegmentPlace): SegmentSupply {
  let ready: string | null = null;
  let making = false;
  let ended = false;
  const make = async (): Promise<void> => {
    const path = await prepareSegment(place);
    making = false;
    if (ended && path !== null) discardSegment(path);
    else ready = path;
  };
  return {
    next() {
      const prepared = ready;
      ready = null;
      return new SegmentWriter(prepared === null ? makeSegment(place) : named(place, prepared), place.sync);
    },
    prepare() {
      if (making || ready !== null) return;
      making = true;
      void make();
    },
    end() {
      ended = true;
      if (ready !== null) discardSegment(ready);
      ready = null;
    },
  };
}

/** What was prepared may be gone, or its directory not be writable any more: then one is made, or the fault told, as without it. */
function named(place: SegmentPlace, prepared: string): string {
  try {
    return nameSegment(place, prepared);
  } catch {
    discardSegment(prepared);
    return makeSegment(place);
  }
}
