/**
 * The writing side of one segment: append, seal. One per file; it alone decides what is in the file.
 * A call's `closed` row always goes to the segment that holds its `opened` row, so a segment is complete in itself:
 * sealed means that no row will ever be added, and every call opened in it is closed in it.
 * Rule: each frame is written at the end of the last one that was acknowledged. What a write that failed has left there is made no frame, and
 * the next one goes over it. Nothing is created, cut, removed or synced here, but for `full`.
 */
import { fdatasyncSync, writeSync } from 'node:fs';
import { closeInPool, type MadeSegment } from './segment.ts';
import {
  emptyFrameBytes, headBytes, syncedAt, syncedBytes, writeSyncedThrough, type FrameBuffer, type SegmentHead, type WrittenRow,
} from './segment-form.ts';

/** What a probe writes behind the last frame: as much as a turn needs. It is not a frame, and the next one goes over it. */
const blank = Buffer.alloc(8 * 1024);

export class SegmentWriter {
  readonly path: string;
  /** Rows committed. */
  rows: number = 0;
  /** Calls opened here and not closed yet. */
  openCalls: number = 0;
  readonly #descriptor: number;
  readonly #head: SegmentHead;
  readonly #frames: FrameBuffer;
  readonly #synced = Buffer.alloc(syncedBytes);
  #end = headBytes;
  #nextSeq = 1;
  #closed = false;

  /** @param frames room for the frame that is being written; one for all segments of a journal. */
  constructor({ path, descriptor, head }: MadeSegment, frames: FrameBuffer) {
    this.path = path;
    this.#descriptor = descriptor;
    this.#head = head;
    this.#frames = frames;
  }

  /** Appends rows in their order, all or none. @throws what the file system throws; nothing of them stands then. */
  append(rows: readonly WrittenRow[]): void {
    this.#commit(this.#frames.write({ rows, firstSeq: this.#nextSeq, seed: this.#head.seed }));
    this.#nextSeq += rows.length;
  }

  /** Tests whether a turn could be written. No reader sees it. @throws what the file system throws */
  probe(): void {
    this.#write(blank, blank.length, this.#end);
    if (this.#head.sync === 'full') fdatasyncSync(this.#descriptor);
  }

  /** Tells readers that no row follows, and closes the file. @throws what the file system throws; then it is not sealed. */
  seal(): void {
    if (this.#closed) return;
    this.#commit(this.#frames.write({ rows: [], firstSeq: this.#nextSeq, sealed: true, seed: this.#head.seed }));
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeInPool(this.#descriptor);
  }

  /** Size of the file, as far as it holds frames. */
  get bytes(): number {
    return this.#end;
  }

  get closed(): boolean {
    return this.#closed;
  }

  #commit(bytes: number): void {
    try {
      this.#write(this.#frames.bytes, bytes, this.#end);
      if (this.#head.sync === 'full') this.#sync(this.#end + bytes);
    } catch (error) {
      this.#revoke();
      throw error;
    }
    this.#end += bytes;
  }

  /** Where the disk takes a part only, the next try has the reason. */
  #write(from: Buffer, bytes: number, at: number): void {
    // By now its descriptor may belong to another file.
    if (this.#closed) throw Object.assign(new Error(`${this.path} is closed`), { code: 'EBADF' });
    for (let done = 0; done < bytes;) {
      const taken = writeSync(this.#descriptor, from, done, bytes - done, at + done);
      if (taken === 0) throw Object.assign(new Error('the disk took nothing'), { code: 'ENOSPC' });
      done += taken;
    }
  }

  /** Readers of this process go no further than what is known to be synced. */
  #sync(through: number): void {
    fdatasyncSync(this.#descriptor);
    writeSyncedThrough(this.#synced, 0, through);
    try {
      this.#write(this.#synced, syncedBytes, syncedAt);
    } catch {
      // It is in the file for good. Readers see it with the next frame, or when the segment is taken over.
    }
  }

  /**
   * A frame that is not acknowledged must not be found. It may be whole: where a sync failed, and where a network's file system takes all of a
   * write and then says that it failed.
   */
  #revoke(): void {
    try {
      this.#write(blank, emptyFrameBytes, this.#end);
    } catch {
      // The disk accepts nothing any more.
    }
  }
}
