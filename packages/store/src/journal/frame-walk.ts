/**
 * Walks the whole frames of one segment, in their order, with as many reads as there are pieces of 256 KB. What follows the last whole frame is
 * a write that has not ended or was cut short; where a whole frame follows it all the same, the file is damaged in its middle.
 */
import { fstatSync, readSync } from 'node:fs';
import { emptyFrameBytes, segmentFrameAt, frameLengthAt, frameMark, headBytes, type SegmentFrame, type SegmentHead } from './segment-form.ts';

/** All walks of a thread read into this, one at a time: what they give is to be used before the next read. */
let window = Buffer.allocUnsafeSlow(256 * 1024);
const windowBytes = window.length;
/** What a block that never reached the disk shows at its end, where a frame never has it. */
const zeros = Buffer.alloc(16);
/** The least that a file system writes by itself. */
const blockBytes = 512;

/** Where a walk stands: the next frame begins at `offset` with row `seq`. */
export interface FramePlace {
  readonly offset: number;
  readonly seq: number;
}

export const firstPlace: FramePlace = { offset: headBytes, seq: 1 };

/** What lies behind the last whole frame. */
export interface Tail {
  readonly bytes: number;
  /** Only zeros: nothing was ever written there. */
  readonly blank: boolean;
  /** Whole frames lie in it. Rows that were there before them are damaged. */
  readonly damaged: boolean;
  /** `damaged`, in the way of a power failure: blocks before the whole frames never reached the disk. */
  readonly unwritten: boolean;
}

export class FrameWalk {
  readonly #descriptor: number;
  readonly #head: SegmentHead;
  readonly #limit: number;
  #offset: number;
  #seq: number;
  /** Which part of the file is in the window. */
  #windowAt = 0;
  #windowEnd = 0;

  /** @param limit where the walk ends at the latest: an offset of the file. */
  constructor(descriptor: number, head: SegmentHead, from: FramePlace = firstPlace, limit = Infinity) {
    this.#descriptor = descriptor;
    this.#head = head;
    this.#limit = limit;
    this.#offset = from.offset;
    this.#seq = from.seq;
  }

  /** Where the next frame begins, or would. */
  get place(): FramePlace {
    return { offset: this.#offset, seq: this.#seq };
  }

  /** The next whole frame, or null. Its bytes are good until the next one is asked for. @throws what the file system throws. */
  next(): SegmentFrame | null {
    if (!this.#have(emptyFrameBytes)) return null;
    const length = frameLengthAt(window, this.#offset - this.#windowAt);
    if (length === 0 || !this.#have(length)) return null;
    const frame = segmentFrameAt(window, this.#offset - this.#windowAt, length, this.#head.seed);
    if (frame === null || (frame.gap ? frame.firstSeq < this.#seq : frame.firstSeq !== this.#seq)) return null;
    this.#offset += length;
    this.#seq = frame.firstSeq + frame.rows;
    return frame;
  }

  /** Forgets what was read ahead, so that newer writes are seen. */
  refresh(): void {
    this.#windowEnd = 0;
  }

  /** Examines everything behind the last whole frame, at the cost of reading it. */
  tail(): Tail {
    const size = Math.min(fstatSync(this.#descriptor).size, this.#limit);
    const rest = Buffer.allocUnsafe(Math.max(0, size - this.#offset));
    const bytes = readFully(this.#descriptor, rest, this.#offset);
    const found = wholeFrameIn(rest.subarray(0, bytes), this.#head.seed);
    return {
      bytes, blank: rest.every((byte) => byte === 0), damaged: found !== null,
      unwritten: found !== null && this.#head.sync === 'normal' && hasUnwrittenBlock(rest.subarray(0, found), this.#offset),
    };
  }

  /** Has so many bytes from where the walk stands in the window; false if the file does not hold them. */
  #have(bytes: number): boolean {
    const end = this.#offset + bytes;
    if (end > this.#limit) return false;
    if (this.#offset >= this.#windowAt && end <= this.#windowEnd) return true;
    if (bytes > window.length) {
      // The length itself may be damaged.
      if (end > fstatSync(this.#descriptor).size) return false;
      window = Buffer.allocUnsafeSlow(bytes);
    } else if (bytes <= windowBytes && window.length > windowBytes * 16) {
      window = Buffer.allocUnsafeSlow(windowBytes);
    }
    this.#windowAt = this.#offset;
    this.#windowEnd = this.#offset + readFully(this.#descriptor, window, this.#offset);
    return end <= this.#windowEnd;
  }
}

/** Fills the buffer from the file as far as that goes; returns how many bytes there were. */
function readFully(descriptor: number, buffer: Buffer, at: number): number {
  let done = 0;
  while (done < buffer.length) {
    const read = readSync(descriptor, buffer, done, buffer.length - done, at + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}

/** Where the first whole frame lies in what is behind a bad one; null if none does. */
function wholeFrameIn(rest: Buffer, seed: number): number | null {
  for (let at = rest.indexOf(frameMark); at !== -1; at = rest.indexOf(frameMark, at + 1)) {
    if (at + emptyFrameBytes > rest.length) return null;
    const length = frameLengthAt(rest, at);
    if (at + length <= rest.length && segmentFrameAt(rest, at, length, seed) !== null) return at;
  }
  return null;
}

/** Says whether a block ends in zeros: it is as the disk had it before its last change. `offset`: where `bytes` lie in the file. */
function hasUnwrittenBlock(bytes: Buffer, offset: number): boolean {
  for (let at = blockBytes - (offset % blockBytes); at <= bytes.length; at += blockBytes) {
    if (at >= zeros.length && bytes.subarray(at - zeros.length, at).equals(zeros)) return true;
  }
  return false;
}
