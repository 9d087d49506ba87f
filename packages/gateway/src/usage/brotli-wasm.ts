/**
 * A Brotli decoder inside WebAssembly, as a Node stream: a hostile body can break its own reading there, never the process. It runs on this
 * thread, so it works in small slices that take turns. Its memory never shrinks, so the number of live decoders is bounded.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Transform, type TransformCallback } from 'node:stream';
import { BrotliDecStream, BrotliStreamResultCode, initSync } from 'brotli-dec-wasm/web';

/** Decoded bytes of one slice: tenths of a millisecond. */
const sliceBytes = 32 * 1024;

/** Decoders alive at once: a long stream holds its whole window, 4 MiB and more. */
const decodersMax = 512;

/** Once the shared memory has grown past this, it serves only as many decoders as surely fit into it. */
const memoryBytesSoftMax = 256 * 1024 * 1024;
const decodersWhenFull = 48;

/** What every organization may have alive at least, whatever the others do. */
const decodersAssured = 4;

let memory: { readonly buffer: { readonly byteLength: number } } | null = null;
let alive = 0;
const aliveByOrganization = new Map<string, number>();

/** No room for one more decoder now. */
export class BrotliDecodersBusy extends Error {}

/** Whose body it is, and what runs each slice when it is its turn. */
export interface WasmBrotliOptions {
  readonly organization: string;
  readonly inTurn: (piece: () => void) => void;
}

/**
 * An organization may have as many decoders as it leaves free, and a few always: one whose answers never end takes none from another.
 * Throws `BrotliDecodersBusy` if it has them.
 */
export function createWasmBrotliDecompress(options: WasmBrotliOptions): Transform {
  const { buffer } = memory ??= loadMemory();
  const most = buffer.byteLength > memoryBytesSoftMax ? decodersWhenFull : decodersMax;
  const own = aliveByOrganization.get(options.organization) ?? 0;
  const assured = own < decodersAssured && alive < decodersMax;
  if (!assured && own >= most - alive) throw new BrotliDecodersBusy('Too many Brotli bodies are being read at once.');
  return new WasmBrotliDecompress(options);
}

function loadMemory(): NonNullable<typeof memory> {
  const module = readFileSync(fileURLToPath(import.meta.resolve('brotli-dec-wasm/web/bg.wasm')));
  return initSync({ module }).memory as NonNullable<typeof memory>;
}

/** Decoders alive now, for tests. */
export function wasmBrotliDecodersAlive(): number {
  return alive;
}

class WasmBrotliDecompress extends Transform {
  #decoder: BrotliDecStream | null = new BrotliDecStream();
  #whole = false;
  readonly #options: WasmBrotliOptions;

  constructor(options: WasmBrotliOptions) {
    super({ readableHighWaterMark: sliceBytes });
    this.#options = options;
    this.#count(1);
  }

  #count(change: 1 | -1): void {
    const { organization } = this.#options;
    const own = (aliveByOrganization.get(organization) ?? 0) + change;
    if (own === 0) aliveByOrganization.delete(organization);
    else aliveByOrganization.set(organization, own);
    alive += change;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#options.inTurn(() => this.#decode(chunk, done));
  }

  override _flush(done: TransformCallback): void {
    done(this.#whole ? null : new Error('The Brotli stream ended before it was whole.'));
  }

  override _destroy(fault: Error | null, done: (fault: Error | null) => void): void {
    if (this.#decoder !== null) {
      this.#decoder.free();
      this.#decoder = null;
      this.#count(-1);
    }
    done(fault);
  }

  /** One slice; what is left of the input waits for its next turn. Bytes after the end of the stream are ignored. */
  #decode(input: Uint8Array, done: TransformCallback): void {
    if (this.#decoder === null || this.#whole) return done();
    let outcome: { code: BrotliStreamResultCode; rest: Uint8Array };
    try {
      const result = this.#decoder.dec(input, sliceBytes);
      outcome = { code: result.code, rest: input.subarray(result.input_offset) };
      const decoded = result.buf;
      result.free();
      if (decoded.length > 0) this.push(decoded);
    } catch {
      return done(new Error('The body is not a Brotli stream.'));
    }
    this.#whole = outcome.code === BrotliStreamResultCode.ResultSuccess;
    if (outcome.code === BrotliStreamResultCode.NeedsMoreOutput) this.#options.inTurn(() => this.#decode(outcome.rest, done));
    else done();
  }
}
