/** Chunks as they are framed here, read back as a reader of HTTP/1.1 does (RFC 9112, 7.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyEnd, chunkEnd, framedChunk, framedChunks, framedLastChunk, joinedBytesMax, sizeLine } from './chunk-framing.ts';

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
