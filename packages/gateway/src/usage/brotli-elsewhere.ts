/**
 * Brotli streams that are decoded on a separate thread, as the thread that reads them sees them. The first such stream starts it. It ends once it had
 * none for a while, since its memory never shrinks. If it ends by a fault, the streams it was decoding fail. The next stream starts another one.
 */
import { Worker } from 'node:worker_threads';
import type { Slice } from './brotli-slices.ts';
import type { FromBrotliThread, ToBrotliThread } from './brotli-thread.ts';

type SliceCallback = (slice: Slice | null) => void;

/** Without a stream for so long it ends: a thread begins in some 30 ms, so even a body every quarter of a minute costs little. */
const idleMs = 15_000;

let thread: Worker | null = null;
/** Streams on that thread. */
let streams = 0;
let ending: NodeJS.Timeout | null = null;
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
    this.#thread ??= joined();
    if (this.#thread !== thread) return void process.nextTick(receive, null);
    asked.set(this.#id, receive);
    this.#post({ id: this.#id, bytes, bytesMax: this.#bytesMax });
  }

  /** No callback comes after this. */
  free(): void {
    asked.delete(this.#id);
    if (this.#thread === null || this.#thread !== thread) return;
    this.#post({ id: this.#id, free: true });
    left();
  }

  #post(message: ToBrotliThread): void {
    this.#thread!.postMessage(message);
  }
}

/** The thread, with one stream more. */
function joined(): Worker {
  if (ending !== null) clearTimeout(ending);
  ending = null;
  thread ??= begin();
  streams += 1;
  return thread;
}

function left(): void {
  streams -= 1;
  if (streams === 0) ending = setTimeout(end, idleMs).unref();
}

/** A stream that begins while it ends finds another thread. */
function end(): void {
  const idle = thread!;
  ended(idle);
  void idle.terminate();
}

function begin(): Worker {
  const begun = new Worker(new URL('./brotli-thread.ts', import.meta.url), { name: 'brotli' });
  begun.on('message', ({ id, slice, memoryBytes: bytes }: FromBrotliThread) => {
    if (thread === begun) memoryBytes = bytes;
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
  streams = 0;
  if (ending !== null) clearTimeout(ending);
  ending = null;
  memoryBytes = 0;
  const waiting = [...asked.values()];
  asked.clear();
  for (const receive of waiting) receive(null);
}
