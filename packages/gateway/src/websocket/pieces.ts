/**
 * Bytes that come in pieces. An end may send each byte in a separate packet, and a message in 65,000 empty fragments: many small pieces are
 * joined as they come, so that keeping them costs little more than their bytes, which are what is counted.
 */

/** So many pieces are looked at together. */
const joinedAt = 256;
/** Pieces of fewer bytes than this, on average, are joined. */
const smallBytes = 1_024;

export class Pieces {
  #kept: Buffer[] = [];
  #latest: Buffer[] = [];
  #latestBytes = 0;
  #bytes = 0;

  /** Of all pieces. */
  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Buffer): void {
    this.#latest.push(piece);
    this.#latestBytes += piece.length;
    this.#bytes += piece.length;
    if (this.#latest.length < joinedAt) return;
    if (this.#latestBytes < joinedAt * smallBytes) this.#kept.push(Buffer.concat(this.#latest, this.#latestBytes));
    else this.#kept.push(...this.#latest);
    this.#latest = [];
    this.#latestBytes = 0;
  }

  /** All that was added and not taken, in its order. A single piece is not copied. */
  take(): Buffer {
    const all = [...this.#kept, ...this.#latest];
    const whole = all.length === 1 ? all[0]! : Buffer.concat(all, this.#bytes);
    this.#kept = [];
    this.#latest = [];
    this.#latestBytes = this.#bytes = 0;
    return whole;
  }
}
