/** A body that comes in the shortest pieces holds no more memory towards a destination that does not read than any other. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { bodySlabs, slabBytes } from '../fairness/body-slabs.ts';
import { RequestBody } from './request-body.ts';

/** What is written waits here until the destination reads. */
function destination() {
  const waiting: { readonly bytes: Buffer; readonly done: () => void }[] = [];
  let received = '';
  const socket = new Writable({
    highWaterMark: 64 * 1024, decodeStrings: true,
    write: (bytes: Buffer, _encoding, done) => void waiting.push({ bytes, done }),
    writev: (all, done) => void waiting.push({ bytes: Buffer.concat(all.map(({ chunk }) => chunk as Buffer)), done }),
  });
  const read = (): boolean => {
    const next = waiting.shift();
    if (next === undefined) return false;
    received += next.bytes.toString('latin1');
    next.done();
    return true;
  };
  return { socket: socket as unknown as Socket, read, received: () => received };
}

for (const contentLength of [null, 50_000]) {
  test(`pieces of one byte wait where they come from, ${contentLength === null ? 'in chunks' : 'of a declared length'}`, async (t) => {
    const { socket, read, received } = destination();
    const text = 'abcde'.repeat(10_000);
    const source = new Readable({ read() {}, highWaterMark: text.length * 2 });
    let written = 0;
    const { write } = socket;
    t.mock.method(socket, 'write', (...args: Parameters<Socket['write']>) => {
      written += 1;
      return write.apply(socket, args);
    });
    const body = new RequestBody(source, (cause) => assert.fail(cause));
    for (const letter of text) source.push(letter);
    source.push(null);
    const state = { isSent: false };
    body.onceBegun(() => body.start({ socket, head: 'H\r\n', contentLength, sendsLength: true, sent: () => { state.isSent = true; } }));
    for (let turns = 0; turns < 20; turns += 1) await turn();
    assert.ok(written < 100, `${written} writes wait`);
    for (let idle = 0; !state.isSent || idle < 5; idle = read() ? 0 : idle + 1) await turn();
    const [head, rest] = [received().slice(0, received().indexOf('\r\n\r\n')), received().slice(received().indexOf('\r\n\r\n') + 4)];
    assert.match(head, contentLength === null ? /chunked$/ : /content-length: 50000$/);
    assert.equal(contentLength === null ? rest.replaceAll(/1\r\n([a-e])\r\n|0\r\n\r\n$/g, '$1') : rest, text);
  });
}

for (const contentLength of [null, slabBytes]) {
  test(`a slab with a short piece is used again, ${contentLength === null ? 'in chunks' : 'of a declared length'}`, async () => {
    const { socket, read } = destination();
    const lengths = [16_384, 500, 16_384, slabBytes - 2 * 16_384 - 500];
    const pieces = bodySlabs.copiesOf(lengths.map((length) => Buffer.alloc(length, 'a')));
    const spare = bodySlabs.spare;
    const source = new Readable({ read() {}, highWaterMark: slabBytes * 2, objectMode: true });
    const body = new RequestBody(source, (cause) => assert.fail(cause));
    for (const piece of pieces) source.push(piece);
    source.push(null);
    const state = { isSent: false };
    body.onceBegun(() => body.start({ socket, head: 'H\r\n', contentLength, sendsLength: true, sent: () => { state.isSent = true; } }));
    for (let idle = 0; !state.isSent || idle < 5; idle = read() ? 0 : idle + 1) await turn();
    assert.equal(bodySlabs.spare, spare + 1);
  });
}
