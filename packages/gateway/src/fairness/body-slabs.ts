/**
 * Memory for the large pieces of bodies, which is used again. Without it each piece is memory of its own outside of V8's heap, and is held
 * for so long that V8 takes it for old and collects the whole heap for it. Decision 220.
 *
 * A piece is a view of a slab, made for one body. Who has written it to its end gives that view back, once; no other view and no second time do
 * anything. A piece that nobody gives back is left to V8 with its slab, so every way on which a body is dropped or fails may simply forget it. A slab
 * that several pieces of one body share is used again once all of them were given back.
 */
import { ownCopy, ownJoined, tinyBytesBelow } from './own-memory.ts';

/**
 * As much as one read brings. A slab is taken from the system by itself (decision 334), in whole pages: with what the C library writes before
 * it these are 64 KiB, where a slab of 64 KiB would take a page more.
 */
export const slabBytes = 64 * 1024 - 32;
/** A shorter piece is memory of its own, or tiny and part of a room of Node's: a slab would be half empty. */
export const pieceBytesMin = 32 * 1024;
/** Slabs that wait to be used again; more are freed. */
const spareMax = 1_024;
/** Pieces that share a slab; each is an entry of the lent ones. */
const sharingMax = 16;
/** Spare slabs are freed once none was needed for so long. */
const keptMs = 5_000;

/** A slab, and how many views of it are still to be given back. */
interface LentSlab {
  readonly slab: Buffer;
  pieces: number;
}

export class BodySlabs {
  readonly #lent = new WeakMap<Uint8Array, LentSlab>();
  #spare: Buffer[] = [];
  /** Some were taken since the timer was set. */
  #isUsed = false;
  #isTimed = false;

  /** A copy of these bytes, which come in at once. */
  copyOf(bytes: Buffer): Buffer {
    if (bytes.length < tinyBytesBelow) return Buffer.from(bytes);
    if (bytes.length < pieceBytesMin || bytes.length > slabBytes) return ownCopy(bytes);
    const slab = this.take();
    bytes.copy(slab);
    return this.lend(slab, bytes.length);
  }

  /** One copy of parts that came in at once, which are no more than a slab together. */
  joinedCopyOf(parts: readonly Buffer[]): Buffer {
    let bytes = 0;
    for (const { length } of parts) bytes += length;
    if (bytes < pieceBytesMin || bytes > slabBytes) {
      return bytes < tinyBytesBelow ? Buffer.concat(parts, bytes) : ownJoined(parts, bytes);
    }
    const slab = this.take();
    let filled = 0;
    for (const part of parts) filled += part.copy(slab, filled);
    return this.lend(slab, bytes);
  }

  /**
   * A copy of each of these parts, which came in at once. A few of them that are as much as a slab together stand in one, which is used again once
   * each of them was given back. For whoever writes them one behind the other, and holds none of them for longer than the others.
   */
  copiesOf(parts: readonly Buffer[]): readonly Buffer[] {
    let bytes = 0;
    for (const { length } of parts) bytes += length;
    if (parts.length < 2 || parts.length > sharingMax || bytes < pieceBytesMin || bytes > slabBytes) return parts.map((part) => this.copyOf(part));
    const lent: LentSlab = { slab: this.take(), pieces: parts.length };
    let from = 0;
    return parts.map((part) => {
      const piece = lent.slab.subarray(from, from + part.copy(lent.slab, from));
      from += part.length;
      this.#lent.set(piece, lent);
      return piece;
    });
  }

  /** The first so many bytes of a slab that was taken and filled. Once for each slab. */
  lend(slab: Buffer, bytes: number): Buffer {
    // A view of its own each time: it is what is given back.
    const piece = slab.subarray(0, bytes);
    this.#lent.set(piece, { slab, pieces: 1 });
    return piece;
  }

  /** The piece has been written to its end, and is not looked at any more: not even its length, which may be 0 from now on. */
  giveBack(piece: Uint8Array): void {
    const lent = this.#lent.get(piece);
    if (lent === undefined) return;
    this.#lent.delete(piece);
    lent.pieces -= 1;
    if (lent.pieces > 0) return;
    if (this.#spare.length < spareMax) this.#spare.push(lent.slab);
    else freeAtOnce(lent.slab);
  }

  /** Whether it is a view that may be given back. */
  hasLent(piece: Uint8Array): boolean {
    return this.#lent.has(piece);
  }

  get spare(): number {
    return this.#spare.length;
  }

  /** A slab to be filled. What it holds is of another body. */
  take(): Buffer {
    this.#isUsed = true;
    if (!this.#isTimed) this.#look();
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(slabBytes);
  }

  #freeSpare(): void {
    for (const slab of this.#spare) freeAtOnce(slab);
    this.#spare = [];
  }

  #look(): void {
    this.#isTimed = true;
    setTimeout(() => {
      this.#isTimed = false;
      if (this.#isUsed) this.#look();
      else this.#freeSpare();
      this.#isUsed = false;
    }, keptMs).unref();
  }
}

/**
 * Frees the memory of bytes that nobody looks at any more, unless it is others' memory, too. V8 would do it with a collection, which a thread that
 * has nothing to do never begins, and a busy one only after many more. Whoever still had a view of it would find it empty.
 */
export function freeAtOnce(bytes: Buffer): void {
  const memory = bytes.buffer as ArrayBuffer;
  if (memory.byteLength === bytes.length) memory.transfer(0);
}

/** Of this thread. */
export const bodySlabs = new BodySlabs();
