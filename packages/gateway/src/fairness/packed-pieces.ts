/**
 * The pieces of a body that is held, in memory that is used again. Those that are lent stay as they are. Shorter ones, as chunks and slow callers
 * bring them, are memory of their own, and V8 would collect the whole heap for them: whenever they fill a slab together they are copied into one.
 * What is sent is then fewer pieces, too. Decision 220. Tiny ones behind each other are copied together at once: each as an object of its own would
 * take a hundred times what it counts (decision 317).
 */
import { bodySlabs, freeAtOnce, slabBytes } from './body-slabs.ts';
import { ownCopy, tinyBytesBelow } from './own-memory.ts';

const firstRoomBytes = 2 * 1024;

/** Tiny pieces together, with room for more. */
interface Together {
  readonly room: Buffer;
  filled: number;
}

export class PackedPieces {
  readonly #pieces: Buffer[] = [];
  /** Short ones, in their own memory, less than a slab together. They come behind the pieces. */
  #short: Buffer[] = [];
  /** What the last of them takes. */
  #lastBytes = 0;
  /** Behind the short ones. */
  #together: Together | null = null;
  /** Of the short ones and of those that are together. */
  #shortBytes = 0;
  /** What these take, which is more where there is room for others. */
  #memoryBytes = 0;

  /** Takes the next piece, which nobody else may look at any more; how many bytes of memory more are held with it. */
  add(piece: Buffer): number {
    if (bodySlabs.hasLent(piece)) {
      this.#keepShort();
      this.#pieces.push(piece);
      return slabBytes;
    }
    const before = this.#memoryBytes;
    this.#addShort(piece);
    this.#shortBytes += piece.length;
    let packedBytes = 0;
    for (; this.#shortBytes >= slabBytes; packedBytes += slabBytes) this.#pack();
    return packedBytes + this.#memoryBytes - before;
  }

  /** All of them, in their order. Nothing is added any more. */
  all(): readonly Buffer[] {
    this.#keepShort();
    return this.#pieces;
  }

  #addShort(piece: Buffer): void {
    const isTiny = piece.length < tinyBytesBelow;
    const last = this.#together === null ? this.#short.at(-1) : undefined;
    if (isTiny && last !== undefined && last.length < tinyBytesBelow) {
      this.#short.pop();
      this.#memoryBytes -= this.#lastBytes;
      this.#append(last);
    }
    if (isTiny && this.#together !== null) return this.#append(piece);
    this.#closeTogether();
    // A tiny one is part of a room of Node's.
    this.#short.push(isTiny ? ownCopy(piece) : piece);
    this.#memoryBytes += this.#lastBytes = piece.length;
  }

  #append(piece: Buffer): void {
    const { room, filled } = this.#together ?? { room: null, filled: 0 };
    const needed = filled + piece.length;
    if (room === null || needed > room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, firstRoomBytes, (room?.length ?? 0) * 2));
      room?.copy(larger, 0, 0, filled);
      this.#memoryBytes += larger.length - (room?.length ?? 0);
      this.#together = { room: larger, filled };
    }
    const together = this.#together!;
    piece.copy(together.room, filled);
    together.filled = needed;
  }

  #closeTogether(): void {
    if (this.#together === null) return;
    const { room, filled } = this.#together;
    this.#short.push(room.subarray(0, filled));
    this.#lastBytes = room.length;
    this.#together = null;
  }

  /** Fills a slab with the first of the short ones. */
  #pack(): void {
    this.#closeTogether();
    const slab = bodySlabs.take();
    let [count, filled, copied] = [0, 0, 0];
    for (; filled < slabBytes; count += 1) {
      copied = this.#short[count]!.copy(slab, filled);
      filled += copied;
    }
    const packed = this.#short.splice(0, count);
    const rest = packed.at(-1)!.subarray(copied);
    // Not a part of the piece: that would keep all of its memory.
    if (rest.length > 0) this.#short.unshift(ownCopy(rest));
    for (const piece of packed) freeAtOnce(piece);
    this.#shortBytes -= slabBytes;
    // The slab is full with the newest piece: what waits now is at most the rest of that one.
    this.#memoryBytes = this.#lastBytes = this.#shortBytes;
    this.#pieces.push(bodySlabs.lend(slab, slabBytes));
  }

  #keepShort(): void {
    this.#closeTogether();
    if (this.#short.length === 0) return;
    this.#pieces.push(...this.#short);
    this.#short = [];
    this.#shortBytes = this.#memoryBytes = 0;
  }
}
