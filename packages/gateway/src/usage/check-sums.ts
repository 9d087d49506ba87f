/** The check sums of gzip and zlib, over bytes that come in pieces. */
import { crc32 } from 'node:zlib';

export interface CheckSum {
  add(bytes: Uint8Array): void;
  /** Whether this is what stands behind the data. */
  isTold(trailer: Buffer): boolean;
  /** Of what stands behind the data. */
  readonly trailerBytes: number;
}

/** RFC 1952, 2.3.1: the sum, and how many bytes there were. */
export class GzipSum implements CheckSum {
  readonly trailerBytes = 8;
  #sum = 0;
  #bytes = 0;

  add(bytes: Uint8Array): void {
    this.#sum = crc32(bytes, this.#sum);
    this.#bytes += bytes.length;
  }

  isTold(trailer: Buffer): boolean {
    return trailer.readUInt32LE(0) === this.#sum && trailer.readUInt32LE(4) === this.#bytes % 2 ** 32;
  }
}

const adlerBase = 65_521;
/** The sums stay exact for so many bytes, and need their remainders only then. */
const runBytes = 3_800;

/** RFC 1950, 2.2. The runtime has no function for it. */
export class ZlibSum implements CheckSum {
  readonly trailerBytes = 4;
  #low = 1;
  #high = 0;

  add(bytes: Uint8Array): void {
    let low = this.#low;
    let high = this.#high;
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + runBytes);
      for (; at < end; at += 1) {
        low += bytes[at]!;
        high += low;
      }
      low %= adlerBase;
      high %= adlerBase;
    }
    this.#low = low;
    this.#high = high;
  }

  isTold(trailer: Buffer): boolean {
    return trailer.readUInt16BE(0) === this.#high && trailer.readUInt16BE(2) === this.#low;
  }
}

/** Bare data have none. */
export class NoSum implements CheckSum {
  readonly trailerBytes = 0;

  add(): void {}

  isTold(): boolean {
    return true;
  }
}
