/**
 * Brotli inside WebAssembly, slice by slice: a hostile body can break its own reading there, never the process. Each thread that undoes Brotli has
 * a memory of its own, which never shrinks.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BrotliDecStream, BrotliStreamResultCode, initSync } from 'brotli-dec-wasm/web';

/** What one slice came to. */
export interface Slice {
  readonly decoded: Uint8Array<ArrayBuffer>;
  /** `more`: more of what was given is to be undone. `taken`: all of it is. `whole`: the stream has ended; bytes behind its end are ignored. */
  readonly state: 'more' | 'taken' | 'whole';
}

let memory: { readonly buffer: { readonly byteLength: number } } | null = null;

/** Of this thread's decoders; 0 before the first of them. */
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

  /** Received bytes, once all before them are taken. */
  give(bytes: Uint8Array): void {
    this.#rest = bytes;
  }

  /** @throws where the bytes are no Brotli stream */
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
