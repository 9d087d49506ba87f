/** What this thread holds for compressed copies of answers. Each figure is 0 when none is read. */
import { slicesAskedElsewhere } from './brotli-elsewhere.ts';
import { wasmBrotliDecodersAlive } from './brotli-wasm.ts';
import { defaultCopyLimits } from './copy-limits.ts';
import { decodersOpen } from './decoding-copy.ts';
import { nodePlaces } from './decoding-places.ts';
import { nodeTurns } from './decoding-turns.ts';

export interface HeldForCopies {
  /** Places that copies have or wait for. */
  readonly decoding_places: number;
  /** Pieces of work that wait for their turn. */
  readonly decoding_pieces: number;
  /** Received bytes that wait for a decoder. */
  readonly decoding_bytes: number;
  readonly decoders: number;
  /** Of the decoders, the Brotli decoders with their own memory. */
  readonly brotli_decoders: number;
  /** Slices that the Brotli thread was asked for. */
  readonly brotli_slices: number;
}

export function heldForCopies(): HeldForCopies {
  return {
    decoding_places: nodePlaces.taken,
    decoding_pieces: nodeTurns.waiting,
    decoding_bytes: defaultCopyLimits.waiting.now,
    decoders: decodersOpen(),
    brotli_decoders: wasmBrotliDecodersAlive(),
    brotli_slices: slicesAskedElsewhere(),
  };
}
