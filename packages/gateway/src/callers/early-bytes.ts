/**
 * What a caller sends behind a request that is not answered yet. It is kept, within bounds, and not left with the system, because a connection
 * that is not read is not seen to end: a call would keep costing money after its caller has left.
 */
import type { KeptRequests } from './request-part.ts';

/** Once so much is kept no more is read. The second bounds what pieces of one byte cost. */
const bytesMax = 64 * 1024;
const piecesMax = 16;

export class EarlyBytes {
  readonly #shared: KeptRequests;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(shared: KeptRequests) {
    this.#shared = shared;
  }

  /** Keeps a copy of them. */
  add(bytes: Buffer): void {
    this.#pieces.push(Buffer.from(bytes));
    this.#bytes += bytes.length;
    this.#shared.keptBytes += bytes.length;
  }

  get isFull(): boolean {
    return this.#bytes >= bytesMax || this.#pieces.length >= piecesMax;
  }

  /** All of them, which are kept no more. */
  taken(): Buffer {
    this.#shared.keptBytes -= this.#bytes;
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.#bytes);
  }
}
