/**
 * Bytes → bytes in a content coding, and back: how a provider of the testkit compresses.
 * Used only on test bodies; the product reads compressed bytes with its own code.
 */
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** The codings a provider may answer in. */
export type Coding = 'gzip' | 'br' | 'zstd' | 'deflate';

/** All of them, for tests that try each. */
export const codings: readonly Coding[] = ['gzip', 'br', 'zstd', 'deflate'];

/** From this size on, Brotli uses the quality that servers use for live answers; the best one, 11, takes a second for each megabyte. */
const finestBytesMax = 4_096;
const liveQuality = 5;

/** `bytes` in that coding. */
export function compress(bytes: Uint8Array, coding: Coding): Buffer {
  switch (coding) {
    case 'gzip': return gzipSync(bytes);
    case 'br': return bytes.length <= finestBytesMax ? brotliCompressSync(bytes) : liveBrotli(bytes);
    case 'zstd': return zstdCompressSync(bytes);
    case 'deflate': return deflateSync(bytes);
  }
}

function liveBrotli(bytes: Uint8Array): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: liveQuality } });
}
