/**
 * The pieces of a body that is held, in memory that is used again. Those that are lent stay as they are. Shorter ones, as chunks and slow callers
 * bring them, are memory of their own, and V8 would collect the whole heap for them: whenever they fill a slab together they are copied into one.
 * What is sent is then fewer pieces, too. Decision 220.
 */
import { bodySlabs, slabBytes } from '../fairness/body-slabs.ts';
import { largePieces } from '../fairness/large-pieces.ts';

export class PackedPieces {
  readonly #pieces: Buffer[] = [];
  /** Short ones, in their own memory, less than a slab together. They come behind the pieces. */
  #short: Buffer[] = [];
  #shortBytes = 0;

  /** Takes the next piece; how many bytes of memory more are held with it. */
  add(piece: Buffer): number {
    if (bodySlabs.hasLent(piece)) {
      this.#keepShort();
      this.#pieces.push(piece);
      return slabBytes;
    }
    const before = this.#shortBytes;
    this.#short.push(piece);
    this.#shortBytes += piece.length;
    let packedBytes = 0;
    for (; this.#shortBytes >= slabBytes; packedBytes += slabBytes) this.#pack();
    return packedBytes + this.#shortBytes - before;
  }

  /** All of them, in their order. Nothing is added any more. */
  all(): readonly Buffer[] {
    this.#keepShort();
    return this.#pieces;
  }

  /** Fills a slab with the first of the short ones. */
  #pack(): void {
    const slab = bodySlabs.take();
    let [count, filled, copied] = [0, 0, 0];
    for (; filled < slabBytes; count += 1) {
      copied = this.#short[count]!.copy(slab, filled);
      filled += copied;
    }
    const rest = this.#short.splice(0, count).at(-1)!.subarray(copied);
    // Not a part of the piece: that would keep all of its memory.
    if (rest.length > 0) this.#short.unshift(Buffer.from(rest));
    this.#shortBytes -= slabBytes;
    this.#pieces.push(bodySlabs.lend(slab, slabBytes));
    // That many bytes of short pieces are garbage now.
    largePieces.came(slabBytes);
  }

  #keepShort(): void {
    if (this.#short.length === 0) return;
    this.#pieces.push(...this.#short);
    this.#short = [];
    this.#shortBytes = 0;
  }
}
