/**
 * Coding → a stream that decodes it, bounded in memory: windows no larger than what content codings may use. The runtime's
 * own decoders work on other threads.
 */
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { nativeBrotliIsSafe } from './brotli-floor.ts';
import { createWasmBrotliDecompress } from './brotli-wasm.ts';
import type { Coding } from './content-coding.ts';

/** Decoded bytes returned at once. Each open event stream holds this much, but it must not be so small that a large body crawls. */
const sliceBytes = { eventStream: 16 * 1024, wholeBody: 128 * 1024 } as const;

export interface DecoderOptions {
  readonly runtimeVersion: string;
  readonly form: keyof typeof sliceBytes;
  /** Whose call it is: organizations take turns and share the decoders. */
  readonly organization: string;
  /** Runs a piece of work on this thread when it is its turn. */
  readonly inTurn: (piece: () => void) => void;
}

/** Largest window of the `zstd` content coding, as a power of two: 8 MiB (RFC 9659). */
const zstdWindowLogMax = 23;

/** `firstChunk` distinguishes the two forms of deflate. Throws if the runtime has no such decoder, or no room for it. */
export function createDecoder(coding: Coding, firstChunk: Uint8Array, options: DecoderOptions): Transform {
  const { runtimeVersion, form } = options;
  const chunkSize = sliceBytes[form];
  switch (coding) {
    case 'gzip': return zlib.createGunzip({ chunkSize });
    case 'deflate': return isZlibWrapped(firstChunk) ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize });
    case 'br': return nativeBrotliIsSafe(runtimeVersion)
      ? zlib.createBrotliDecompress({ chunkSize }) : createWasmBrotliDecompress(firstChunk, { ...options, sliceBytes: chunkSize });
    case 'zstd': return zlib.createZstdDecompress({
      chunkSize, params: { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLogMax },
    });
  }
}

/** `deflate` means the zlib form (RFC 9110 8.4.1.2); some servers send the bare one, whose first byte never looks like this. */
function isZlibWrapped(bytes: Uint8Array): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}
