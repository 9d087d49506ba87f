/** A head that comes again is read as the parser would read it: whatever came before on the connection changes nothing. Decision 0275. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { repeatedHeadBytesMax } from './repeated-head.ts';
import { UsualRequest } from './usual-request.ts';

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** What a connection's reader makes of one piece. */
function readOf(reader: UsualRequest, bytes: Buffer): { readonly progress: string; readonly request?: unknown } {
  const progress = reader.read(bytes);
  if (progress !== 'whole' && progress !== 'arriving') return { progress };
  const socket = new Socket();
  const { method, url, rawHeaders, content } = progress === 'whole' ? reader.take(socket) : { ...reader.takeHead(socket, 0).request, content: null };
  return { progress, request: { method, url, rawHeaders, content: content?.toString('latin1') } };
}

/** Reads pieces on one connection, each as it is read by a connection that has seen none before it; whether a head was known. */
function readAlike(pieces: readonly Buffer[]): void {
  const seasoned = new UsualRequest();
  for (const piece of pieces) {
    const fresh = new UsualRequest();
    const expected = readOf(fresh, piece);
    assert.deepEqual(readOf(seasoned, piece), expected, JSON.stringify(pieces.map((each) => each.toString('latin1'))));
    fresh.close();
    if (expected.progress === 'unusual' || expected.progress === 'part') break;
  }
  seasoned.close();
}

const request = (fields: readonly string[], body = 'hello', start = 'POST /v1/responses HTTP/1.1'): string =>
  `${start}\r\n${['Host: x', ...fields].map((field) => `${field}\r\n`).join('')}\r\n${body}`;
const lengths = [
  '5', '4', '6', '0', '05', '50', '+5', '5 ', '5\t', '', '5, 5', '0x5', '99999', '100000', '999999999999999', '9999999999999999', '00005', '-5', 'a',
];
const names = ['Content-Length', 'content-length', 'CONTENT-LENGTH', 'Content-length'];
const fields = fc.oneof(
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...lengths)).map(([name, length]) => `${name}: ${length}`),
  fc.constantFrom(
    'Content-Length:5', 'Content-Length:  5', 'Content-Length: 5\r\nContent-Length: 5', 'X: Content-Length: 5', 'Connection: keep-alive',
    'Connection: close', 'Transfer-Encoding: chunked', 'Expect: 100-continue', 'Upgrade: h2c', 'Authorization: Bearer a', 'Authorization: Bearer b',
    'X: a', 'X: b', 'Y: a\r\nContent-Length: 5', 'traceparent: 00-1', '',
  ),
);
const starts = fc.constantFrom(
  'POST /v1/responses HTTP/1.1', 'POST /v1/responses HTTP/1.0', 'GET /v1/models HTTP/1.1', 'POST /v1/responseS HTTP/1.1',
);
const heads = fc.tuple(fc.array(fields, { maxLength: 4 }), fc.constantFrom('hello', 'hell', 'hello!', '', '\r\n'), starts)
  .map(([lines, body, start]) => request(lines.filter((line) => line !== ''), body, start));

/** Small changes of one text: a byte at a place drawn, or the text itself once more. */
const put = fc.constantFrom('', '0', '5', '9', 'a', ' ', '\r\n', ':');
const changed = (text: string): fc.Arbitrary<string> => fc.tuple(fc.nat(text.length), put, fc.nat(2))
  .map(([at, scrap, dropped]) => text.slice(0, at) + scrap + text.slice(at + dropped));

test('a request is read alike, whatever head came before it', () => {
  const rows = heads.chain((text) => fc.array(fc.oneof(fc.constant(text), changed(text), heads), { minLength: 1, maxLength: 4 })
    .map((others) => [text, ...others].map(bytesOf)));
  fc.assert(fc.property(rows, readAlike), { numRuns: draws(4_000) });
});

test('a head of which any one byte differs is read alike', () => {
  const text = request(['Authorization: Bearer svc_live_abc', 'Content-Length: 15', 'X: a']).replace('hello', 'h'.repeat(15));
  for (let at = 0; at < text.length; at += 1) {
    for (const byte of ['0', '9', 'a', ':', '\r', '\n', '\x80', ' ']) {
      readAlike([text, text.slice(0, at) + byte + text.slice(at + 1), text].map(bytesOf));
    }
  }
});

test('bodies of other lengths are read alike, short ones and long ones', () => {
  const of = (bytes: number): Buffer => bytesOf(request([`Content-Length: ${bytes}`], 'a'.repeat(Math.min(bytes, 70_000))));
  readAlike([of(10), of(11), of(99), of(9), of(100), of(10), of(70_000), of(65_536), of(65_537), of(99_999), of(5)]);
});

/** How often the parser was asked for a head: those that were known have the same object. */
function knownHeads(pieces: readonly Buffer[]): boolean[] {
  const reader = new UsualRequest();
  let before: unknown = null;
  return pieces.map((piece) => {
    assert.equal(reader.read(piece), 'whole');
    const { readHead } = reader.take(new Socket());
    const isKnown = readHead !== null && readHead === before;
    before = readHead;
    return isKnown;
  });
}

test('the same head, and one with another length of as many digits, is known again', () => {
  const of = (length: number, field = 'X: a'): Buffer => bytesOf(request([`Content-Length: ${length}`, field], 'a'.repeat(length)));
  assert.deepEqual(knownHeads([of(10), of(10), of(57), of(5), of(5), of(6, 'X: b'), of(6, 'X: b')]), [false, true, true, false, true, false, true]);
});

test('a head that changes with each request is no longer remembered, and a long one never is', () => {
  const of = (field: string): Buffer => bytesOf(request(['Content-Length: 2', field], '{}'));
  const different = Array.from({ length: 12 }, (_, n) => of(`traceparent: ${n}`));
  assert.deepEqual(knownHeads([...different, different.at(-1)!, different.at(-1)!]), Array.from({ length: 14 }, () => false));
  const long = of(`X: ${'a'.repeat(repeatedHeadBytesMax)}`);
  assert.deepEqual(knownHeads([long, long]), [false, false]);
});

test('a head that no request came with for a while is let go of', () => {
  const reader = new UsualRequest();
  const bytes = bytesOf(request(['Content-Length: 5']));
  const taken = (): unknown => (assert.equal(reader.read(bytes), 'whole'), reader.take(new Socket()).readHead);
  const first = taken();
  reader.forgetUnheard();
  assert.equal(taken(), first);
  reader.forgetUnheard();
  reader.forgetUnheard();
  assert.notEqual(taken(), first);
  reader.close();
});
