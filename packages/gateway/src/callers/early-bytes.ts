/**
 * What a caller sends behind a request that is not answered yet. It is kept, within bounds, and not left with the system, because a connection
 * that is not read is not seen to end: a call would keep costing money after its caller has left.
 */
import type { KeptRequests } from './request-part.ts';

/** Of one connection. */
const bytesMax = 256 * 1024;
/** What all connections may keep of requests that are not whole, or came before their turn. Bytes. */
export const keptBytesMax = 8 * 1024 * 1024;

const noRoom = Buffer.alloc(0);

export class EarlyBytes {
  readonly #shared: KeptRequests;
  /** Pieces of one byte cost no more than others: they are copied into what is doubled whenever it is full. */
  #room: Buffer = noRoom;
  /** What is kept stands from here up to there. Before it stands what was read. */
  #from = 0;
  #to = 0;

  constructor(shared: KeptRequests) {
    this.#shared = shared;
  }

  /** Whether so many more may be kept. */
  hasRoomFor(bytes: number): boolean {
    const needed = this.#to - this.#from + bytes;
    if (needed > bytesMax) return false;
    return this.#fits(bytes) || this.#shared.keptBytes + this.#grownTo(needed) - this.#room.length <= keptBytesMax;
  }

  /** Keeps a copy of them. */
  add(bytes: Buffer): void {
    if (!this.#fits(bytes.length)) this.#grow(this.#grownTo(this.#to - this.#from + bytes.length));
    else if (this.#to + bytes.length > this.#room.length) this.#moveTo(this.#room);
    bytes.copy(this.#room, this.#to);
    this.#to += bytes.length;
  }

  /** With what is kept moved to the front, if that is at most half of it: then at least as much was read as is moved. */
  #fits(bytes: number): boolean {
    return this.#to + bytes <= this.#room.length || this.#to - this.#from + bytes <= this.#room.length / 2;
  }

  #grownTo(needed: number): number {
    return Math.max(needed, this.#room.length * 2);
  }

  #grow(roomBytes: number): void {
    const room = Buffer.allocUnsafeSlow(roomBytes);
    this.#shared.keptBytes += roomBytes - this.#room.length;
    this.#moveTo(room);
  }

  #moveTo(room: Buffer): void {
    this.#room.copy(room, 0, this.#from, this.#to);
    this.#to -= this.#from;
    this.#from = 0;
    this.#room = room;
  }

  /** All of them. They are only there until the next ones are added. */
  all(): Buffer {
    return this.#room.subarray(this.#from, this.#to);
  }

  /**
   * Whether these are the last of all: then the others were read, and these are kept as they stand. Thousands of requests behind each other would
   * each be copied with all that come behind it.
   */
  keepsOnly(rest: Buffer): boolean {
    if (rest.buffer !== this.#room.buffer || rest.byteOffset + rest.length !== this.#room.byteOffset + this.#to) return false;
    this.#from = this.#to - rest.length;
    return true;
  }

  /** Nothing is kept any more. Idempotent. */
  release(): void {
    this.#shared.keptBytes -= this.#room.length;
    this.#room = noRoom;
    this.#from = this.#to = 0;
  }
}
