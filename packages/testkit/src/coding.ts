/**
 * Bytes → bytes in a content coding, and back: what a provider of the testkit compresses with.
 * Used on our own test bodies alone; the product reads compressed bytes by code of its own.
 */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** The codings a provider may answer in. */
export type Coding = 'gzip' | 'br' | 'zstd' | 'deflate';

/** All of them, for tests that try each. */
export const codings: readonly Coding[] = ['gzip', 'br', 'zstd', 'deflate'];

/** `bytes` in that coding. */
export function compress(bytes: Uint8Array, coding: Coding): Buffer {
  switch (coding) {
    case 'gzip': return gzipSync(bytes);
    case 'br': return brotliCompressSync(bytes);
    case 'zstd': return zstdCompressSync(bytes);
    case 'deflate': return deflateSync(bytes);
  }
}
