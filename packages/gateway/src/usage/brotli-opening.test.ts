/** Which Brotli streams are judged to come in short pieces: those of real encoders, by quality, window and size, and openings bit by bit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { comesInShortPieces } from './brotli-opening.ts';

const { BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_QUALITY: quality } = zlib.constants;
const compressed = (bytes: Buffer, params: Record<number, number>): Buffer => zlib.brotliCompressSync(bytes, { params });
const small = Buffer.from('{"model":"m","usage":{"prompt_tokens":3,"completion_tokens":4}}');
const answer = Buffer.from(JSON.stringify(Array.from({ length: 3_000 }, (_, n) => `${n * 7919 % 1000} `)));
const zeros = Buffer.alloc(2 * 1024 * 1024);

test('answers of usual encoders come in short pieces, in any window', () => {
  for (const lgwin of [10, 16, 17, 18, 19, 22, 24]) {
    for (const q of [4, 5, 6, 9, 11]) {
      for (const body of [small, answer]) assert.ok(comesInShortPieces(compressed(body, { [window]: lgwin, [quality]: q })), `${lgwin} ${q}`);
    }
  }
});

test('a body that decompresses to megabytes comes in short pieces only with a small window', () => {
  for (const q of [1, 4, 5, 9]) {
    for (const lgwin of [19, 20, 21, 22, 23, 24]) assert.equal(comesInShortPieces(compressed(zeros, { [window]: lgwin, [quality]: q })), false);
    for (const lgwin of [10, 11, 15, 16, 17, 18]) assert.equal(comesInShortPieces(compressed(zeros, { [window]: lgwin, [quality]: q })), true);
  }
});

test('uncompressed blocks are skipped, and the block after them decides', () => {
  const noise = Buffer.from(Array.from({ length: 60_000 }, (_, n) => (n * 2_654_435_761 >>> 7) % 251));
  const honest = compressed(Buffer.from('{"a":1,"usage":{"prompt_tokens":1}}'), { [quality]: 11 });
  assert.equal(honest[0]! >> 4 & 1, 0, 'the first block is not the last');
  assert.equal(comesInShortPieces(honest), true);
  const hidden = compressed(Buffer.concat([noise, zeros]), { [window]: 22, [quality]: 1 });
  assert.equal(comesInShortPieces(hidden), false);
});

test('an opening that does not show it, or of another format, is not judged to come in short pieces', () => {
  const honest = compressed(answer, {});
  for (const bytes of [Buffer.alloc(0), honest.subarray(0, 1), honest.subarray(0, 2), Buffer.from([0x11, 0, 0]), Buffer.from([0x0b, 0x06])]) {
    assert.equal(comesInShortPieces(bytes), false, bytes.toString('hex'));
  }
});
