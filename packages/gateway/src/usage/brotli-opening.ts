/**
 * How a Brotli stream opens → whether it surely comes in short pieces (RFC 7932, 9.1 and 9.2). A piece cannot be cut: a decoder fills its window,
 * up to 16 MiB from a few bytes, before it returns the first of it. The first bytes say how large the window is and to how much the first block
 * expands. What follows a compressed block is not known before that block is decoded.
 */

/** Decodes within half a millisecond. */
const shortBytesMax = 256 * 1024;

/** Also false if the bytes do not show it. */
export function comesInShortPieces(bytes: Uint8Array): boolean {
  const bits = new Bits(bytes);
  const windowBytes = windowBytesOf(bits);
  if (windowBytes === null || bits.missed) return false;
  if (windowBytes <= shortBytesMax) return true;
  for (let uncompressedBytes = 0; !bits.missed; ) {
    const isLast = bits.take(1) === 1;
    if (isLast && bits.take(1) === 1) return !bits.missed;
    const nibbles = 4 + bits.take(2);
    // Seven marks a block without data.
    if (nibbles === 7) return false;
    const blockBytes = bits.take(nibbles * 4) + 1;
    if (isLast) return !bits.missed && blockBytes <= shortBytesMax;
    const isUncompressed = bits.take(1) === 1;
    if (!isUncompressed || (uncompressedBytes += blockBytes) > shortBytesMax) return false;
    bits.skipBytes(blockBytes);
  }
  return false;
}

/** Null if the bytes hold no valid window size. */
function windowBytesOf(bits: Bits): number | null {
  if (bits.take(1) === 0) return 2 ** 16;
  const large = bits.take(3);
  if (large > 0) return 2 ** (17 + large);
  const small = bits.take(3);
  return small === 1 ? null : 2 ** (small === 0 ? 17 : 8 + small);
}

/** Reads bits, beginning with the lowest of each byte; zeros after the end. */
class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** More bits were read than there are. */
  get missed(): boolean {
    return this.#at > this.#bytes.length * 8;
  }

  /** Skips the rest of the current byte, and so many bytes after it. */
  skipBytes(count: number): void {
    this.#at = ((this.#at + 7) >> 3 << 3) + count * 8;
  }

  /** The next bits as a number, 31 at most. */
  take(count: number): number {
    let value = 0;
    for (let at = 0; at < count; at += 1, this.#at += 1) value |= (((this.#bytes[this.#at >> 3] ?? 0) >> (this.#at & 7)) & 1) << at;
    return value;
  }
}
