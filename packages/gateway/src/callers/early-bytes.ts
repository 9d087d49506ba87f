/**
 * What a caller sends behind a request that is not answered yet. It is kept, within bounds, and not left with the system, because a connection
 * that is not read is not seen to end: a call would keep costing money after its caller has left.
 */
import type { KeptRequests } from './request-part.ts';

/** Of one connection. */
const bytesMax = 256 * 1024;
/** What all connections may keep of requests that are not whole, or came before their turn. Bytes. */
export const keptBytesMax = 8 * 1024 * 1024;

export class EarlyBytes {
  readonly #shared: KeptRequests;
  /** Pieces of one byte cost no more than others: they are copied into what is doubled whenever it is full. */
  #room: Buffer = Buffer.alloc(0);
  #bytes = 0;

  constructor(shared: KeptRequests) {
    this.#shared = shared;
  }

  /** Whether so many more may be kept. */
  hasRoomFor(bytes: number): boolean {
    const needed = this.#bytes + bytes;
    if (needed > bytesMax) return false;
    return needed <= this.#room.length || this.#shared.keptBytes + this.#grownTo(needed) - this.#room.length <= keptBytesMax;
  }

  /** Keeps a copy of them. */
  add(bytes: Buffer): void {
    const needed = this.#bytes + bytes.length;
    if (needed > this.#room.length) this.#grow(this.#grownTo(needed));
    bytes.copy(this.#room, this.#bytes);
    this.#bytes = needed;
  }

  #grownTo(needed: number): number {
    return Math.max(needed, this.#room.length * 2);
  }

  #grow(roomBytes: number): void {
    const room = Buffer.allocUnsafeSlow(roomBytes);
    this.#room.copy(room, 0, 0, this.#bytes);
    this.#shared.keptBytes += roomBytes - this.#room.length;
    this.#room = room;
  }

  /** All of them, which are kept no more. */
  taken(): Buffer {
    this.#shared.keptBytes -= this.#room.length;
    return this.#room.subarray(0, this.#bytes);
  }
}
