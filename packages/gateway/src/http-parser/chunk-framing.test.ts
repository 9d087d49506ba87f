/** Chunks as they are framed here, read back as a reader of HTTP/1.1 does (RFC 9112, 7.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { bodyEnd, chunkEnd, framedChunk, framedChunks, framedLastChunk, framedTogether, joinedBytesMax, sizeLine } from './chunk-framing.ts';
import { ChunkWalk } from './chunk-walk.ts';

function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, at) => (at * 31 + length) & 0xff));
}

const lengths = [1, 2, 9, 10, 15, 16, 17, 255, 256, 257, 4095, joinedBytesMax];

for (const length of lengths) {
  test(`${length} bytes are one chunk of that size, and are the body where it ends with them`, () => {
    const bytes = bytesOf(length);
    const size = Buffer.from(`${length.toString(16)}\r\n`);
    assert.deepEqual(framedChunk(bytes), Buffer.concat([size, bytes, Buffer.from('\r\n')]));
    assert.deepEqual(framedLastChunk(bytes), Buffer.concat([size, bytes, Buffer.from('\r\n0\r\n\r\n')]));
  });
}

test('several are one chunk after the other', () => {
  const all = lengths.map(bytesOf);
  assert.deepEqual(framedChunks(all), Buffer.concat(all.map(framedChunk)));
  assert.deepEqual(framedChunks([]), Buffer.alloc(0));
});

test('what is too long to be copied is framed the same in three parts', () => {
  const bytes = bytesOf(70_000);
  assert.equal(sizeLine(bytes), '11170\r\n');
  assert.equal(chunkEnd.toString('latin1'), '\r\n');
  assert.equal(bodyEnd.toString('latin1'), '0\r\n\r\n');
});

test('a chunk is a copy: what becomes of the bytes afterwards does not change it', () => {
  const bytes = bytesOf(20);
  const chunk = framedChunk(bytes);
  const before = Buffer.from(chunk);
  bytes.fill(0);
  assert.deepEqual(chunk, before);
});

/** The parts of these chunks, as an answer's reader tells them apart. */
function partsOf(read: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  new ChunkWalk().walk(read, { body: (part) => { parts.push(part); } });
  return parts;
}

test('chunks that came as they are framed here leave as they came, and nothing is copied', () => {
  const read = Buffer.from(`0003\r\nabc\r\n${'10\r\n0123456789abcdef\r\n'.repeat(3)}5\r\nhel`);
  const parts = partsOf(read);
  const framed = framedTogether(parts.slice(1, 4), read);
  assert.equal(framed.toString(), '10\r\n0123456789abcdef\r\n'.repeat(3));
  assert.deepEqual([framed.buffer, framed.byteOffset - read.byteOffset], [read.buffer, 11]);
});

test('a chunk of which a part came with another read is framed anew, whatever stands beside that read', () => {
  const room = Buffer.from('3\r\nabc\r\n');
  for (const [from, to] of [[1, 8], [3, 8], [0, 7], [0, 6]] as const) {
    const read = room.subarray(from, to);
    const framed = framedTogether([room.subarray(3, 6)], read);
    assert.deepEqual([framed, framed.buffer === room.buffer && framed.byteOffset === room.byteOffset], [room, false]);
  }
});

test('whatever came, and however it was cut, they are framed the same', () => {
  const chunk = fc.record({
    bytes: fc.string({ minLength: 1, maxLength: 300, unit: 'binary-ascii' }), zeros: fc.constantFrom('', '', '', '0', '00'), isUpper: fc.boolean(),
  });
  fc.assert(fc.property(fc.array(chunk, { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(), (chunks, start, end) => {
    const sent = chunks.map(({ bytes, zeros, isUpper }) => {
      const size = bytes.length.toString(16);
      return `${zeros}${isUpper ? size.toUpperCase() : size}\r\n${bytes}\r\n`;
    }).join('');
    // With others' bytes around it, which must not leave.
    const room = Buffer.from(`5\r\n${sent}\r\n5\r\n`, 'latin1');
    const read = room.subarray(3, 3 + 1 + start % sent.length);
    const parts = partsOf(read);
    const some = parts.slice(0, 1 + end % (parts.length + 1));
    if (some.length > 0) assert.deepEqual(framedTogether(some, read), framedChunks(some));
    if (some.length > 1) assert.deepEqual(framedTogether([some[0]!, some.at(-1)!], read), framedChunks([some[0]!, some.at(-1)!]));
    if (some.length > 0) assert.deepEqual(framedTogether(some, undefined), framedChunks(some));
  }), { numRuns: draws(500) });
});
