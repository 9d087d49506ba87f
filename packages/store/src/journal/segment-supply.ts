/**
 * Prepares the next segment for the journal's writer: its file already exists and is synced when the current one is full, so that the gateway
 * thread does not wait for the disk. If none is ready, one is created on the spot. Holds the lock that says whose the segments are.
 */
import { closeInPool, discardSegment, makeSegment, nameSegment, prepareSegment, type MadeSegment, type SegmentPlace } from './segment.ts';
import { FrameBuffer } from './segment-form.ts';
import { holdOwnerLock, type OwnerLock } from './owner-lock.ts';
import { SegmentWriter } from './segment-writer.ts';

export interface SegmentSupply {
  /** An empty segment, open for writing. @throws JournalFault `journal_unwritable`. */
  next(): SegmentWriter;
  /** Begins to make one ready, if none is and none is being made. */
  prepare(): void;
  /** Gives up the lock: any process may read the segments then. It must not be used afterwards. */
  end(): void;
}

export function createSegmentSupply(place: SegmentPlace): SegmentSupply {
  const frames = new FrameBuffer();
  let lock: OwnerLock | null = null;
  let ready: MadeSegment | null = null;
  let making = false;
  let ended = false;
  /** Locked with the first segment, and not before: where nothing can be made, nothing is. */
  const owner = (): string => {
    lock ??= holdOwnerLock(place.directory, place.randomBytes);
    return lock.id;
  };
  const ahead = async (): Promise<MadeSegment | null> => {
    try {
      return await prepareSegment(place, owner());
    } catch {
      return null;
    }
  };
  const make = async (): Promise<void> => {
    const made = await ahead();
    making = false;
    if (ended && made !== null) discardSegment(made);
    else ready = made;
  };
  return {
    next() {
      const prepared = ready;
      ready = null;
      return new SegmentWriter(prepared === null ? makeSegment(place, owner()) : named(place, prepared, owner()), frames);
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
      lock?.release();
      lock = null;
    },
  };
}

/** What was prepared may be gone, or its directory not be writable any more: then one is made, or the fault reported, as without it. */
function named(place: SegmentPlace, prepared: MadeSegment, owner: string): MadeSegment {
  try {
    return nameSegment(place, prepared);
  } catch {
    closeInPool(prepared.descriptor);
    return makeSegment(place, owner);
  }
}
