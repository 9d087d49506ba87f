/**
 * Brotli streams that are undone on a thread of their own, seen from the thread that reads them. It is begun with the first of them and stays.
 * Where it ends by a fault, what it had in work is broken, and the next stream begins another.
 */
import { Worker } from 'node:worker_threads';
import type { Slice } from './brotli-slices.ts';
import type { FromBrotliThread, ToBrotliThread } from './brotli-thread.ts';

type Told = (slice: Slice | null) => void;

let thread: Worker | null = null;
let memoryBytes = 0;
let lastId = 0;
const asked = new Map<number, Told>();

/** Memory of the streams there, as far as it is known. */
export function memoryBytesElsewhere(): number {
  return memoryBytes;
}

/** Slices that were asked for and have not come. */
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

  /** The next slice, of these bytes or, where they are null, of those given last. The answer is null if there are no more. One at a time. */
  next(bytes: Uint8Array | null, told: Told): void {
    this.#thread ??= thread ??= begin();
    if (this.#thread !== thread) return void process.nextTick(told, null);
    asked.set(this.#id, told);
    this.#post({ id: this.#id, bytes, bytesMax: this.#bytesMax });
  }

  /** No more callbacks. */
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
    const told = asked.get(id);
    asked.delete(id);
    told?.(slice);
  });
  // The end that follows is what is looked at.
  begun.on('error', () => {});
  begun.on('exit', () => ended(begun));
  begun.unref();
  return begun;
}

function ended(worker: Worker): void {
  if (thread !== worker) return;
  thread = null;
  memoryBytes = 0;
  const told = [...asked.values()];
  asked.clear();
  for (const tell of told) tell(null);
}
