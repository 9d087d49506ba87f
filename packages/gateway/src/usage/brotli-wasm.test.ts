/** Decision 0019: on which thread Brotli that may come in long pieces is decoded, judged by the memory of this thread's decoders. */
import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import zlib from 'node:zlib';
import type { Reading } from '@metergate/core/usage/reading.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { memoryBytesElsewhere } from './brotli-elsewhere.ts';
import { brotliMemoryBytes } from './brotli-slices.ts';
import { wasmBrotliDecodersAlive } from './brotli-wasm.ts';
import { defaultCopyLimits } from './copy-limits.ts';
import { createCopyReader } from './create-copy-reader.ts';
import { DecodingPlaces } from './decoding-places.ts';
import { createMarkerReader, marker } from './test-support/marker-reader.ts';

/** Threads that were started here. */
const threads: Worker[] = [];
subscribe('worker_threads', (message) => void threads.push((message as { readonly worker: Worker }).worker));

const { BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_QUALITY: quality } = zlib.constants;

function newCopy(keep: boolean): ReturnType<typeof createCopyReader> {
  return createCopyReader({
    context: { wire: 'openai', endpoint: 'chat.completions', streamed: false }, contentEncoding: 'br', runtimeVersion: '26.12.0',
    limits: { ...defaultCopyLimits, waiting: { now: 0, max: defaultCopyLimits.waiting.max } }, places: new DecodingPlaces(),
    createReader: () => createMarkerReader({ keep }),
  });
}

function readingOf(keep: boolean, ...chunks: Buffer[]): Promise<Reading> {
  const copy = newCopy(keep);
  for (const chunk of chunks) copy.push(chunk);
  return new Promise((resolve) => copy.finish('whole', 60_000, resolve));
}

test('a body that decompresses without end uses no decoder memory of the thread that forwards calls, whatever its window', async () => {
  const zeros = Buffer.alloc(16 * 1024 * 1024);
  for (const lgwin of [16, 18, 19, 22, 24]) {
    const reading = await readingOf(false, zlib.brotliCompressSync(zeros, { params: { [window]: lgwin, [quality]: 5 } }));
    assert.equal(reading.usageReason, 'decode_limit', `${lgwin}`);
  }
  assert.ok(brotliMemoryBytes() < 4 * 1024 * 1024, `${brotliMemoryBytes()} bytes here`);
  assert.ok(memoryBytesElsewhere() >= 16 * 1024 * 1024, `${memoryBytesElsewhere()} bytes there`);
  assert.equal(wasmBrotliDecodersAlive(), 0);
});

test('a copy decompressed on the other thread is read like any other: in one chunk or many, whole, cut short and broken', async () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 40_000 }, (_, n) => `${n * 7919 % 1000} `)) + marker);
  const bytes = zlib.brotliCompressSync(body, { params: { [quality]: 1 } });
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, at) => bytes.subarray(at * 1_000, (at + 1) * 1_000));
  assert.equal((await readingOf(true, bytes)).usage, 'reported');
  assert.equal((await readingOf(true, ...pieces)).usage, 'reported');
  assert.equal((await readingOf(true, bytes, Buffer.from('behind its end'))).usage, 'reported');
  assert.equal((await readingOf(true, bytes.subarray(0, bytes.length >> 1))).usageReason, 'decode_failed');
  assert.equal((await readingOf(true, bytes.subarray(0, 100), Buffer.alloc(1_000, 0xff))).usageReason, 'decode_failed');
  assert.equal(wasmBrotliDecodersAlive(), 0);
});

test('a thread without a stream ends after a while, with its memory; a body that comes at that moment is read by another one', async (t) => {
  const bytes = zlib.brotliCompressSync(Buffer.from(JSON.stringify(Array.from({ length: 40_000 }, (_, n) => `${n * 7919 % 1000} `)) + marker));
  const copy = newCopy(true);
  copy.push(bytes.subarray(0, bytes.length >> 1));
  await eventually(() => wasmBrotliDecodersAlive() === 1);
  // Only while a stream keeps the thread: a timer that runs already could not be cleared any more, and would end the thread in a later test.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  copy.push(bytes.subarray(bytes.length >> 1));
  assert.equal((await new Promise<Reading>((resolve) => copy.finish('whole', 60_000, resolve))).usage, 'reported');
  const [before, idle] = [threads.length, threads.at(-1)!];
  const ended = once(idle, 'exit');
  t.mock.timers.tick(14_999);
  assert.equal((await readingOf(true, bytes)).usage, 'reported');
  assert.deepEqual([threads.length, memoryBytesElsewhere() > 0], [before, true], 'a stream keeps it');
  t.mock.timers.tick(15_000);
  assert.equal(memoryBytesElsewhere(), 0);
  assert.equal((await readingOf(true, bytes)).usage, 'reported');
  await ended;
  assert.equal(threads.length, before + 1);
  assert.ok(memoryBytesElsewhere() > 0);
});

test('if the thread ends by a fault, reading its current body fails, and another thread reads the next body', async () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 40_000 }, (_, n) => `${n * 7919 % 1000} `)) + marker);
  const bytes = zlib.brotliCompressSync(body, { params: { [quality]: 1 } });
  assert.equal((await readingOf(true, bytes)).usage, 'reported');
  const before = threads.length;
  const worker = threads.at(-1)!;
  const copy = newCopy(true);
  copy.push(bytes.subarray(0, bytes.length >> 1));
  // It has started on the body, whose second half never comes.
  await once(worker, 'message');
  await worker.terminate();
  copy.push(bytes.subarray(bytes.length >> 1));
  const broken = await new Promise<Reading>((resolve) => copy.finish('whole', 60_000, resolve));
  assert.equal(broken.usageReason, 'decode_failed');
  assert.equal((await readingOf(true, bytes)).usage, 'reported');
  assert.equal(threads.length, before + 1);
  assert.equal(wasmBrotliDecodersAlive(), 0);
});
