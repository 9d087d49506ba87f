/**
 * Brotli inside WebAssembly, slice by slice: a hostile body can break its own reading there, never the process. Each thread that decodes Brotli has
 * its own memory, which never shrinks.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BrotliDecStream, BrotliStreamResultCode, initSync } from 'brotli-dec-wasm/web';

/** The result of one slice. */
export interface Slice {
  readonly decoded: Uint8Array<ArrayBuffer>;
  /** `more`: there is more to decode. `taken`: all input is decoded. `whole`: the stream has ended; bytes after its end are ignored. */
  readonly state: 'more' | 'taken' | 'whole';
}

let memory: { readonly buffer: { readonly byteLength: number } } | null = null;

/** Memory of this thread's decoders; 0 before the first of them. */
export function brotliMemoryBytes(): number {
  return memory?.buffer.byteLength ?? 0;
}

function loadMemory(): NonNullable<typeof memory> {
  const module = readFileSync(fileURLToPath(import.meta.resolve('brotli-dec-wasm/web/bg.wasm')));
  return initSync({ module }).memory as NonNullable<typeof memory>;
}

/** One stream. */
export class BrotliSlices {
  readonly #decoder: BrotliDecStream;
  #rest: Uint8Array = new Uint8Array(0);

  constructor() {
    memory ??= loadMemory();
    this.#decoder = new BrotliDecStream();
  }

  /** Gives received bytes, once all before them are decoded. */
  give(bytes: Uint8Array): void {
    this.#rest = bytes;
  }

  /** @throws if the bytes are not a Brotli stream */
  next(bytesMax: number): Slice {
    const result = this.#decoder.dec(this.#rest, bytesMax);
    const { code } = result;
    this.#rest = this.#rest.subarray(result.input_offset);
    const decoded = result.buf as Uint8Array<ArrayBuffer>;
    result.free();
    if (code === BrotliStreamResultCode.ResultSuccess) return { decoded, state: 'whole' };
    return { decoded, state: code === BrotliStreamResultCode.NeedsMoreOutput ? 'more' : 'taken' };
  }

  free(): void {
    this.#decoder.free();
  }
}
