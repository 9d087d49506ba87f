/** A body that nobody reads for now waits in as little memory as its bytes take, in whatever pieces it comes. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { slabBytes } from '../fairness/body-slabs.ts';
import { ArrivingRequest } from './arriving-request.ts';

const readBytes = 64 * 1024;
const requestOf = (bodyBytes: number | 'chunks'): ArrivingRequest =>
  new ArrivingRequest(new Socket(), 0, { method: 'POST', target: '/', pairs: [], bodyBytes });

/** What is read of it from here on, and in how many pieces. */
function reading(request: ArrivingRequest) {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  return pieces;
}

test('chunks of one byte that came at once are one piece', async () => {
  const request = requestOf('chunks');
  const pieces = reading(request);
  await turn();
  const chunks = Buffer.from('1\r\nx\r\n'.repeat(10_000) + '0\r\n\r\n');
  for (let at = 0; at < chunks.length; at += readBytes) request.receive(chunks.subarray(at, at + readBytes));
  await turn();
  assert.deepEqual([pieces.length, Buffer.concat(pieces).toString(), request.complete], [1, 'x'.repeat(10_000), true]);
});

test('what came byte by byte while nobody read is few pieces, and so is what came in chunks of one byte', async () => {
  for (const [request, byte] of [[requestOf(5_000), 'x'], [requestOf('chunks'), '1\r\nx\r\n']] as const) {
    for (let at = 0; at < 5_000; at += 1) request.receive(Buffer.from(byte));
    await turn();
    const pieces = reading(request);
    await turn();
    await turn();
    assert.ok(pieces.length <= 3, `${pieces.length} pieces`);
    assert.equal(Buffer.concat(pieces).toString(), 'x'.repeat(5_000));
  }
});

test('the socket is paused once enough waits, and read on when all of it was taken', async () => {
  const request = requestOf('chunks');
  const { socket } = request;
  socket.resume();
  for (let sent = 0; sent < readBytes; sent += 5) request.receive(Buffer.from('1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n'));
  assert.equal(socket.isPaused(), true);
  const pieces = reading(request);
  while (socket.isPaused()) await turn();
  assert.equal(Buffer.concat(pieces).length >= readBytes, true);
});

test('of a declared length a first read that is a head short of a whole one is enough to wait', async () => {
  const request = requestOf(2_000_000);
  const { socket } = request;
  socket.resume();
  request.pause();
  request.receive(Buffer.alloc(slabBytes - 500, 'x'));
  assert.equal(socket.isPaused(), true);
  const pieces = reading(request);
  request.resume();
  while (socket.isPaused()) await turn();
  assert.deepEqual(pieces.map(({ length }) => length), [slabBytes - 500]);
});

test('a body of a declared length that is read as it comes never pauses its socket', async () => {
  const request = requestOf(2_000_000);
  const { socket } = request;
  let pauses = 0;
  socket.pause = () => { pauses += 1; return socket; };
  const pieces = reading(request);
  for (let sent = 0; sent < 2_000_000; sent += slabBytes) {
    request.receive(Buffer.alloc(slabBytes, 'x'));
    await turn();
  }
  assert.deepEqual([pauses, Buffer.concat(pieces).length], [0, 2_000_000]);
});

test('whenever it is read and paused, all comes, in order, and then the end', async () => {
  const steps = fc.array(fc.oneof(fc.integer({ min: 1, max: 90_000 }), fc.constantFrom('pause', 'resume', 'turn', 'read')), { maxLength: 30 });
  await fc.assert(fc.asyncProperty(steps, async (all) => {
    const bytes = all.reduce<number>((sum, step) => sum + (typeof step === 'number' ? step : 0), 0);
    if (bytes === 0) return;
    const sent = Buffer.alloc(bytes, Buffer.from(Array.from({ length: 251 }, (_, index) => index)));
    const request = requestOf(bytes);
    let at = 0;
    const pieces: Buffer[] = [];
    const state = { isEnded: false };
    request.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => { state.isEnded = true; });
    for (const step of all) {
      if (typeof step === 'number') {
        for (const end = at + step; at < end; at = Math.min(end, at + readBytes)) request.receive(sent.subarray(at, Math.min(end, at + readBytes)));
      } else if (step === 'turn') await turn();
      else if (step === 'read') request.read();
      else request[step]();
    }
    request.resume();
    while (!state.isEnded) await turn();
    assert.equal(Buffer.concat(pieces).equals(sent), true);
  }), { numRuns: draws(100) });
});
