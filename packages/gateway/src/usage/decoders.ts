/**
 * Coding → a stream that decodes it, bounded in memory: windows no larger than what content codings may use. The runtime's
 * own decoders work on other threads.
 */
import type { Transform, TransformCallback } from 'node:stream';
import zlib from 'node:zlib';
import { nativeBrotliIsSafe } from './brotli-floor.ts';
import { createWasmBrotliDecompress } from './brotli-wasm.ts';
import type { Coding } from './content-coding.ts';
import { CutShort } from './cut-short.ts';
import { Inflating } from './inflating.ts';
import { ZstdFrames } from './zstd-frames.ts';

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

/** `firstChunk`: how a Brotli stream opens. Throws if the runtime has no such decoder, or no room for it. */
export function createDecoder(coding: Coding, firstChunk: Uint8Array, options: DecoderOptions): Transform {
  const { runtimeVersion, form } = options;
  const chunkSize = sliceBytes[form];
  switch (coding) {
    case 'gzip':
    case 'deflate': return new Inflating(coding, chunkSize);
    case 'br': return nativeBrotliIsSafe(runtimeVersion)
      ? zlib.createBrotliDecompress({ chunkSize }) : createWasmBrotliDecompress(firstChunk, { ...options, sliceBytes: chunkSize });
    case 'zstd': return new ZstdDecompress(chunkSize);
  }
}

class ZstdDecompress extends zlib.ZstdDecompress {
  readonly #frames = new ZstdFrames();

  constructor(chunkSize: number) {
    super({ chunkSize, params: { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const pieces: Buffer[] = [];
    this.#frames.take(chunk, (piece) => { pieces.push(piece); });
    this.#decode(pieces, 0, done);
  }

  #decode(pieces: readonly Buffer[], at: number, done: TransformCallback): void {
    const piece = pieces[at];
    if (this.destroyed) return done();
    if (piece === undefined) return done(this.#frames.hasTooMany ? new Error('The body has too many frames.') : null);
    super._transform(piece, 'latin1', (fault) => fault === null || fault === undefined ? this.#decode(pieces, at + 1, done) : done(fault));
  }

  override _flush(done: TransformCallback): void {
    done(this.#frames.isWhole ? null : new CutShort());
  }
}
