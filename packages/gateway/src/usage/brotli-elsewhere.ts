/**
 * Brotli streams that are decoded on a separate thread, as the thread that reads them sees them. The first such stream starts it, and it stays.
 * If it ends by a fault, the streams it was decoding fail, and the next stream starts another one.
 */
import { Worker } from 'node:worker_threads';
import type { Slice } from './brotli-slices.ts';
import type { FromBrotliThread, ToBrotliThread } from './brotli-thread.ts';

type SliceCallback = (slice: Slice | null) => void;

let thread: Worker | null = null;
let memoryBytes = 0;
let lastId = 0;
const asked = new Map<number, SliceCallback>();

/** Memory of the streams on that thread, as of its last message. */
export function memoryBytesElsewhere(): number {
  return memoryBytes;
}

/** Slices that were asked for and have not arrived. */
export function slicesAskedElsewhere(): number {
  return asked.size;
}

/** One stream. */
export class BrotliElsewhere {
  readonly #id = lastId += 1;
  readonly #bytesMax: number;
  #thread: Worker | null = null;

  /** @param bytesMax decoded bytes of a slice */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Decodes the next slice: of `bytes`, or if null, of what was given last. The answer is null if the stream failed. One at a time. */
  next(bytes: Uint8Array | null, receive: SliceCallback): void {
    this.#thread ??= thread ??= begin();
    if (this.#thread !== thread) return void process.nextTick(receive, null);
    asked.set(this.#id, receive);
    this.#post({ id: this.#id, bytes, bytesMax: this.#bytesMax });
  }

  /** No callback comes after this. */
  free(): void {
    asked.delete(this.#id);
    if (this.#thread !== null && this.#thread === thread) this.#post({ id: this.#id, free: true });
  }

  #post(message: ToBrotliThread): void {
    this.#thread!.postMessage(message);
  }
}

function begin(): Worker {
  const begun = new Worker(new URL('./brotli-thread.ts', import.meta.url));
  begun.on('message', ({ id, slice, memoryBytes: bytes }: FromBrotliThread) => {
    memoryBytes = bytes;
    const receive = asked.get(id);
    asked.delete(id);
    receive?.(slice);
  });
  // The `exit` event that follows is handled.
  begun.on('error', () => {});
  begun.on('exit', () => ended(begun));
  begun.unref();
  return begun;
}

function ended(worker: Worker): void {
  if (thread !== worker) return;
  thread = null;
  memoryBytes = 0;
  const waiting = [...asked.values()];
  asked.clear();
  for (const receive of waiting) receive(null);
}
