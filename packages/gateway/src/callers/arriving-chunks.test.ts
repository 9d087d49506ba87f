/** How much work chunks of unusual forms cause: the parser is asked once for all of a read, whatever its bytes are. Decision 0276. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestParser } from '../http-parser/request-parser.ts';
import { ArrivingChunks } from './arriving-chunks.ts';

/** Reads pieces one after the other: the body, how many of the bytes were its own, and how it ended. */
function readOf(pieces: readonly string[]): { readonly body: string; readonly taken: number; readonly end: 'whole' | 'fault' | 'open' } {
  const chunks = new ArrivingChunks();
  let [body, taken] = ['', 0];
  for (const piece of pieces) {
    if (chunks.isWhole || chunks.fault !== null) break;
    const read = chunks.read(Buffer.from(piece, 'latin1'));
    body += Buffer.concat(read.parts).toString('latin1');
    taken += read.taken;
  }
  chunks.close();
  return { body, taken, end: chunks.isWhole ? 'whole' : chunks.fault === null ? 'open' : 'fault' };
}

const lines = '\n'.repeat(1_000);
const bodies: readonly (readonly [what: string, text: string, body: string, behind: string])[] = [
  ['lines within an odd chunk', `3e8;x\r\n${lines}\r\n0\r\n\r\n`, lines, 'GET / HTTP/1.1\r\n\r\n'],
  ['a size of many digits', `0000000000000003\r\n\r\n0\r\n0\r\n\r\n`, '\r\n0', 'POST'],
  ['digits in an extension', '2;a=30\r\nok\r\n0;5\r\n\r\n', 'ok', '5\r\nhello'],
  ['trailers', '2\r\nok\r\n0\r\nA: b\r\nabc: 5\r\n\r\n', 'ok', '0\r\n\r\n'],
  ['nothing but trailers', '0;x\r\nX: y\r\n\r\n', '', '\r\n'],
];

for (const [what, text, body, behind] of bodies) {
  test(`${what}: read as a whole and cut anywhere, nothing behind it is taken`, () => {
    const expected = { body, taken: text.length, end: 'whole' };
    assert.deepEqual(readOf([text + behind]), expected);
    for (let at = 1; at < Math.min(text.length, 60); at += 1) {
      assert.deepEqual(readOf([text.slice(0, at), text.slice(at) + behind]), expected, String(at));
    }
    assert.deepEqual(readOf([...text]), expected);
  });
}

test('bytes that are not a chunk are refused, wherever they stand', () => {
  for (const text of ['\n', ';x\r\n', '2;x\nok\r\n', '2;x\r\nokk\n0\r\n\r\n', '10000000000000000\r\n', '2;x\r\nok0\r\n\r\n', '0;\r\nA b\r\n\r\n']) {
    assert.equal(readOf([text]).end, 'fault', JSON.stringify(text));
    assert.equal(readOf([...text]).end, 'fault', JSON.stringify(text));
  }
});

test('the parser is asked once for a read of an odd chunk, whatever lines stand in it', (t) => {
  const chunks = new ArrivingChunks();
  chunks.read(Buffer.from('0000000000ffffff\r\n'));
  const execute = t.mock.method(parserPrototype(), 'execute');
  for (let read = 0; read < 20; read += 1) chunks.read(Buffer.from(lines));
  assert.equal(execute.mock.callCount(), 20);
  chunks.close();
});

/** What all of Node's parsers have. */
function parserPrototype(): { execute: (bytes: Buffer) => unknown } {
  const ignored = (): void => {};
  const parser = createRequestParser({ begun: ignored, pairs: ignored, headComplete: () => false, body: ignored, complete: ignored });
  parser.close();
  return Object.getPrototypeOf(parser) as { execute: (bytes: Buffer) => unknown };
}
