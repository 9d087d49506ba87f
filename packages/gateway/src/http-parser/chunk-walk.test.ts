/** Chunks separated here: plain ones, in pieces cut anywhere, and what is left to Node's parser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { ChunkWalk, type Walked } from './chunk-walk.ts';

interface Read {
  readonly body: string;
  readonly walked: Walked;
  /** What is left of the bytes. */
  readonly rest: string;
}

function read(text: string, cuts: readonly number[] = []): Read {
  const walk = new ChunkWalk();
  const bytes = Buffer.from(text, 'latin1');
  let body = '';
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    const piece = bytes.subarray(from, to);
    const walked = walk.walk(piece, { body: (part) => { body += part.toString('latin1'); } });
    if (walked !== 'part') {
      const cut = walked === 'unusual' ? walk.cut : '';
      return { body, walked, rest: cut + piece.toString('latin1', walk.at) + bytes.toString('latin1', Math.max(from, to)) };
    }
    from = Math.max(from, to);
  }
  return { body, walked: 'part', rest: '' };
}

const everyCut = (length: number): number[] => Array.from({ length }, (_, at) => at + 1);

test('plain chunks are read to their end, and what stands behind it is not', () => {
  for (const [text, body, rest] of [
    ['5\r\nhello\r\n0\r\n\r\n', 'hello', ''], ['05\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\nHTTP', 'hello0123456789', 'HTTP'], ['0\r\n\r\n', '', ''],
    [`fF\r\n${'x'.repeat(255)}\r\n0\r\n\r\n`, 'x'.repeat(255), ''],
  ] as const) {
    for (const cuts of [[], everyCut(text.length - 1), [1], [2], [3], [text.length - 1]]) {
      const { walked, ...got } = read(text, cuts);
      assert.equal(walked, 'whole', JSON.stringify([text.slice(0, 30), cuts]));
      assert.deepEqual(got, { body, rest }, JSON.stringify([text.slice(0, 30), cuts]));
    }
  }
});

test('anything else is the parser\'s, from the beginning of a chunk on', () => {
  for (const odd of [
    '5;a=b\r\nhello', '5 \r\nhello', '123456789\r\n', '\r\n', 'x\r\n', '5\nhello', '5\rhello', '0\r\nX: y\r\n\r\n', '0;a\r\n\r\n', '-1\r\n',
    '0\r\n\rx',
  ]) {
    const text = `2\r\nok\r\n${odd}`;
    for (const cuts of [[], everyCut(text.length - 1), [7], [8], [9], [10], [11]]) {
      const { body, walked, rest } = read(text, cuts.filter((cut) => cut < text.length));
      assert.deepEqual([body, walked, rest], ['ok', 'unusual', odd], JSON.stringify([odd, cuts]));
    }
  }
});

test('a chunk that does not end where it should is not valid', () => {
  for (const text of ['2\r\nokx', '2\r\nok\n', '2\r\nok\r5']) assert.equal(read(text).walked, 'invalid');
});

test('drawn chunks, cut anywhere, are the bytes that they were made of', () => {
  const bodies = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: 'binary-ascii' }), { maxLength: 8 });
  fc.assert(fc.property(bodies, fc.array(fc.nat(), { maxLength: 12 }), (parts, places) => {
    const text = `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
    const cuts = places.map((place) => place % text.length).sort((one, other) => one - other);
    assert.deepEqual(read(text, cuts), { body: parts.join(''), walked: 'whole', rest: '' });
  }), { numRuns: draws(500) });
});
