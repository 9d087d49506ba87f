/**
 * A Brotli decoder inside WebAssembly, as a Node stream: a hostile body can break its own reading there, never the process. What surely comes in
 * short pieces is decoded on this thread, in small slices that take turns; all else on a separate thread. Memory never shrinks, so the number of
 * live decoders is bounded.
 */
import { Transform, type TransformCallback } from 'node:stream';
import { BrotliElsewhere, memoryBytesElsewhere } from './brotli-elsewhere.ts';
import { comesInShortPieces } from './brotli-opening.ts';
import { brotliMemoryBytes, BrotliSlices, type Slice } from './brotli-slices.ts';
import { CutShort } from './cut-short.ts';

/** Decoded bytes of one slice on this thread: tenths of a millisecond. */
const sliceBytesHere = 32 * 1024;

/** Decoders alive at once: a long stream holds its whole window, 4 MiB and more. */
const decodersMax = 512;

/** Once the shared memory has grown past this, only as many decoders are allowed as surely fit into it. */
const memoryBytesSoftMax = 256 * 1024 * 1024;
const decodersWhenFull = 48;

/** How many each organization may have alive whatever the others do. */
const decodersAssured = 4;

let alive = 0;
const aliveByOrganization = new Map<string, number>();

/** No room for one more decoder now. */
export class BrotliDecodersBusy extends Error {}

/** Whose body it is, and what runs each slice in its turn. */
interface WasmBrotliOptions {
  readonly organization: string;
  readonly inTurn: (piece: () => void) => void;
  /** Decoded bytes of one slice from the separate thread. */
  readonly sliceBytes: number;
}

/**
 * An organization may have as many decoders as it leaves free, and always a few: one whose answers never end takes none from another.
 * Throws `BrotliDecodersBusy` if it already has that many.
 */
export function createWasmBrotliDecompress(firstChunk: Uint8Array, options: WasmBrotliOptions): Transform {
  const most = Math.max(brotliMemoryBytes(), memoryBytesElsewhere()) > memoryBytesSoftMax ? decodersWhenFull : decodersMax;
  const own = aliveByOrganization.get(options.organization) ?? 0;
  const assured = own < decodersAssured && alive < decodersMax;
  if (!assured && own >= most - alive) throw new BrotliDecodersBusy('Too many Brotli bodies are being read at once.');
  return new WasmBrotliDecompress(comesInShortPieces(firstChunk) ? new SlicesHere(options.inTurn) : new BrotliElsewhere(options.sliceBytes), options);
}

/** Decoders alive now. */
export function wasmBrotliDecodersAlive(): number {
  return alive;
}

/** Decodes one stream. */
interface Slices {
  /** Decodes the next slice: of `bytes`, or if null, of what was given last. The answer is null if they are not a Brotli stream. */
  next(bytes: Uint8Array | null, receive: (slice: Slice | null) => void): void;
  free(): void;
}

class SlicesHere implements Slices {
  readonly #inTurn: WasmBrotliOptions['inTurn'];
  readonly #slices = new BrotliSlices();

  constructor(inTurn: WasmBrotliOptions['inTurn']) {
    this.#inTurn = inTurn;
  }

  next(bytes: Uint8Array | null, receive: (slice: Slice | null) => void): void {
    this.#inTurn(() => receive(this.#decode(bytes)));
  }

  #decode(bytes: Uint8Array | null): Slice | null {
    try {
      if (bytes !== null) this.#slices.give(bytes);
      return this.#slices.next(sliceBytesHere);
    } catch {
      return null;
    }
  }

  free(): void {
    this.#slices.free();
  }
}

class WasmBrotliDecompress extends Transform {
  readonly #organization: string;
  #slices: Slices | null;
  #whole = false;
  /** Set while decoded bytes wait to be read; decoding goes on after that. */
  #untilRead: TransformCallback | null = null;

  constructor(slices: Slices, { organization }: WasmBrotliOptions) {
    super({ readableHighWaterMark: sliceBytesHere });
    this.#slices = slices;
    this.#organization = organization;
    this.#count(1);
  }

  #count(change: 1 | -1): void {
    const own = (aliveByOrganization.get(this.#organization) ?? 0) + change;
    if (own === 0) aliveByOrganization.delete(this.#organization);
    else aliveByOrganization.set(this.#organization, own);
    alive += change;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#decode(chunk, done);
  }

  override _flush(done: TransformCallback): void {
    done(this.#whole ? null : new CutShort());
  }

  override _destroy(fault: Error | null, done: (fault: Error | null) => void): void {
    if (this.#slices !== null) {
      this.#slices.free();
      this.#slices = null;
      this.#count(-1);
    }
    done(fault);
  }

  /** Slice by slice, until all input is decoded. Bytes after the end of the stream are ignored. */
  #decode(bytes: Uint8Array | null, done: TransformCallback): void {
    if (this.#slices === null || this.#whole) return done();
    this.#slices.next(bytes, (slice) => {
      if (this.#slices === null) return done();
      if (slice === null) return done(new Error('The body is not a Brotli stream.'));
      this.#whole = slice.state === 'whole';
      const hasRoom = slice.decoded.length === 0 || this.push(slice.decoded);
      if (slice.state !== 'more') done();
      else if (hasRoom) this.#decode(null, done);
      else this.#untilRead = done;
    });
  }

  /** The reader of this stream has room for more. */
  override _read(bytes: number): void {
    const done = this.#untilRead;
    this.#untilRead = null;
    if (done === null) super._read(bytes);
    else this.#decode(null, done);
  }
}
