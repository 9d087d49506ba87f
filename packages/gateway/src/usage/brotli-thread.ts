/**
 * The thread that decodes what may come in long pieces (decision 0019): up to tens of milliseconds each, which no call should wait for. It has
 * a low priority (decision 0109). `brotli-elsewhere.ts` starts it with the first such body.
 */
import { parentPort } from 'node:worker_threads';
import { workAs } from '@metergate/store/threads/thread-priority.ts';
import { BrotliSlices, brotliMemoryBytes, type Slice } from './brotli-slices.ts';

/** Asks for the next slice of a stream, with new bytes once all earlier ones are decoded; or frees it. */
export type ToBrotliThread =
  | { readonly id: number; readonly bytes: Uint8Array | null; readonly bytesMax: number }
  | { readonly id: number; readonly free: true };

/** Null: the bytes are not a Brotli stream. */
export interface FromBrotliThread {
  readonly id: number;
  readonly slice: Slice | null;
  /** Memory of all streams of this thread. */
  readonly memoryBytes: number;
}

const streams = new Map<number, BrotliSlices>();
const parent = parentPort!;

parent.on('message', (message: ToBrotliThread) => {
  if ('free' in message) {
    streams.get(message.id)?.free();
    streams.delete(message.id);
    return;
  }
  const slice = sliceOf(message.id, message.bytes, message.bytesMax);
  const answer: FromBrotliThread = { id: message.id, slice, memoryBytes: brotliMemoryBytes() };
  parent.postMessage(answer, slice === null ? [] : [slice.decoded.buffer]);
});

function sliceOf(id: number, bytes: Uint8Array | null, bytesMax: number): Slice | null {
  try {
    let stream = streams.get(id);
    if (stream === undefined) streams.set(id, stream = new BrotliSlices());
    if (bytes !== null) stream.give(bytes);
    return stream.next(bytesMax);
  } catch {
    return null;
  }
}

workAs('brotli');
