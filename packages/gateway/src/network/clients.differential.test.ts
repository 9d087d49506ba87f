/**
 * Our own client compared with undici, which is the reference: the same bytes in the same pieces give the same result, byte for byte, down to
 * whether the connection is used again. If ours differs, it refuses more, and each such case is listed here.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { corpusOrFixtures, readWires } from '@metergate/testkit/corpus.ts';
import type { Exchange } from '@metergate/testkit/exchange.ts';
import { httpInputs } from '@metergate/testkit/written-inputs.ts';
import { createSocketDestination } from './socket-destination.ts';
import { startPlayer, type Made, type Played } from './test-support/played-answer.ts';
import { createUndiciDestination } from './undici-destination.ts';

let player: Awaited<ReturnType<typeof startPlayer>>;
before(async () => { player = await startPlayer(); });
after(() => player.close());

/** What both made of it, ours first. */
async function both(played: Played): Promise<readonly [own: Made, reference: Made]> {
  return [await player.play(createSocketDestination, played), await player.play(createUndiciDestination, played)];
}

/** Not part of a value (RFC 9110, 5.5): Node's parser drops a tab or a space after a value, undici's keeps some of them. */
function trimmed(made: Made): Made {
  return { ...made, headers: made.headers.map((part) => part.replace(/[\t ]+$/, '')) };
}

/**
 * Of the reference, as ours names it: a body that ends with its connection before it is whole is `reset`. The reference says `protocol` if the
 * connection was not to be kept. Which of both it is reaches no caller once the head has.
 */
function endingOf(own: Made, reference: Made): Made['ending'] {
  const isCutShort = reference.status !== null && reference.ending === 'protocol' && own.ending === 'reset';
  return isCutShort ? 'reset' : reference.ending;
}

const same = (one: unknown, other: unknown): boolean => isDeepStrictEqual(one, other);

/** Null if both are the same; `stricter` if ours refuses what the reference takes, or closes what it keeps; else both results. */
function difference(own: Made, reference: Made): null | 'stricter' | string {
  const ours = trimmed(own);
  const theirs = { ...trimmed(reference), ending: endingOf(own, reference) };
  if (same(ours, theirs) && own.next === 'next') return null;
  const toldLess = ours.status === null || (ours.status === theirs.status && ours.reason === theirs.reason && same(ours.headers, theirs.headers));
  const refuses = ours.ending === 'protocol' && !ours.reused && toldLess && theirs.body.startsWith(ours.body);
  const closes = !ours.reused && same({ ...ours, reused: true }, theirs);
  return own.next === 'next' && (refuses || closes) ? 'stricter' : JSON.stringify({ ours, theirs });
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Up to eight places to cut, by a seed. */
function cutsOf(length: number, seed: number): number[] {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = (): number => (state = (state * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32;
  return Array.from({ length: Math.floor(next() * 9) }, () => 1 + Math.floor(next() * (length - 1))).sort((one, other) => one - other);
}

/** Each byte of the first few hundred by itself. */
const everyByte = (length: number): number[] => Array.from({ length: Math.min(length, 300) }, (_, at) => at + 1);

async function differences(inputs: readonly { readonly name: string; readonly bytes: Buffer }[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { name, bytes } of inputs) {
    for (const closing of [false, true]) {
      for (const cuts of [[], cutsOf(bytes.length, 1), everyByte(bytes.length)]) {
        const differs = difference(...await both({ bytes, cuts, closing }));
        if (differs !== null && differs !== found.get(name)) found.set(name, `${found.get(name) ?? ''}${differs}`);
      }
    }
  }
  return found;
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const field = (name: string): string => `HTTP/1.1 200 OK\r\n${name}\r\nContent-Length: 2\r\n\r\nok`;
const many = (count: number, each: (n: number) => string): string => Array.from({ length: count }, (_, n) => each(n)).join('');

/** Our own framings. The second part says in which cases ours is stricter, and why. */
const framings: Readonly<Record<string, readonly [string, stricterBecause?: string]>> = {
  'a whole answer': [ok],
  'two answers': [ok + ok], 'an answer and half of one': [`${ok}HTTP/1.1 2`], 'an answer and a byte': [`${ok}X`],
  'an answer and an interim one': [`${ok}HTTP/1.1 103 Early\r\n\r\n`],
  'an empty line behind an answer': [`${ok}\r\n`, 'bytes that come while nothing is asked for end the connection, whatever they are'],
  'an empty line before an answer': [`\r\n${ok}`],
  '33 fields': [`HTTP/1.1 200 OK\r\n${many(32, (n) => `X-${n}: ${n}\r\n`)}Content-Length: 2\r\n\r\nok`],
  '300 fields': [`HTTP/1.1 200 OK\r\n${many(300, (n) => `X-${n}: ${n}\r\n`)}Content-Length: 2\r\n\r\nok`],
  '40 trailers': [`${chunked}2\r\nok\r\n0\r\n${many(40, (n) => `X-${n}: ${n}\r\n`)}\r\n`],
  'trailers over 16 KiB': [`${chunked}2\r\nok\r\n0\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`],
  'a framing in the trailers': [`${chunked}2\r\nok\r\n0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`],
  'a head of almost 16 KiB': [field(`X: ${'a'.repeat(16_300)}`)],
  'a head over 16 KiB': [field(`X: ${'a'.repeat(16_384)}`)],
  'a head over 16 KiB by its reason': [`HTTP/1.1 200 ${'a'.repeat(16_384)}\r\nContent-Length: 2\r\n\r\nok`,
    'the reason phrase counts as a part of the head'],
  'extensions of chunks': [`${chunked}2;a=b;c="d"\r\nok\r\n0;e\r\n\r\n`],
  'extensions of chunks over 16 KiB': [`${chunked}2;a=${'b'.repeat(17_000)}\r\nok\r\n0\r\n\r\n`, 'they are bounded like a head'],
  'a carriage return alone': ['HTTP/1.1 200 OK\r\rContent-Length: 2\r\n\r\nok', 'it ends no line'],
  'a tab behind a length': [field('Content-Length: 2\t').replace('Content-Length: 2\r\n', '')],
  'a tab behind a length of a later head': [`HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\t\r\n\r\nok`],
  'a tab behind a length in a body': ['HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n\nContent-Length: 42\t\r\n\t'],
  'a tab before a length and in a value': ['HTTP/1.1 200 OK\r\nX: a\tb\t\r\nContent-Length:\t2\r\n\r\nok'],
  'the same length twice': ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'],
  'a list of lengths': ['HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok'],
  'a length with a sign': ['HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok'],
  'an empty length': ['HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nok'],
  'a length in hexadecimal': ['HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok'],
  'a length without end': [`HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\nok`],
  'coding and length': [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
  'another coding and length': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok'],
  'chunked twice': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
  'chunked, then another': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
  'chunked in HTTP/1.0': ['HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
  'a chunk with a sign': [`${chunked}+2\r\nok\r\n0\r\n\r\n`], 'a chunk of 0x': [`${chunked}0x2\r\nok\r\n0\r\n\r\n`],
  'a chunk with a space': [`${chunked}2 \r\nok\r\n0\r\n\r\n`], 'a chunk with a line feed': [`${chunked}2\nok\n0\n\n`],
  'a chunk that is longer': [`${chunked}2\r\nokk\r\n0\r\n\r\n`], 'a chunk without end': [`${chunked}ffffffffffffffffff\r\nok`],
  'a chunk without its line end': [`${chunked}2\r\nok0\r\n\r\n`], 'a last chunk of many zeros': [`${chunked}2\r\nok\r\n0000\r\n\r\n`],
  'a folded field': [field('X: a\r\n b')], 'a folded field first': ['HTTP/1.1 200 OK\r\n X: a\r\n\r\n'], 'a space before the colon': [field('X : a')],
  'no name': [field(': a')], 'no colon': [field('X')], 'NUL in a value': [field('X: a\0b')], 'NUL in a name': [field('X\0: a')],
  'a control in a value': [field('X: a\x01b\x7f')], 'NUL in the reason': ['HTTP/1.1 200 O\0K\r\nContent-Length: 2\r\n\r\nok'],
  'no reason': ['HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok'], 'HTTP/2.0': ['HTTP/2.0 200 OK\r\n\r\n'], 'HTTP/0.9': ['HTTP/0.9 200 OK\r\n\r\n'],
  'RTSP': ['RTSP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'], 'lower case': ['http/1.1 200 OK\r\n\r\n'],
  'a request': ['GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  '204 with chunks': ['HTTP/1.1 204 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
  '204 with a length of 0': ['HTTP/1.1 204 X\r\nContent-Length: 0\r\n\r\n'], '304 with a length': ['HTTP/1.1 304 X\r\nContent-Length: 2\r\n\r\n'],
  '304 and a body': ['HTTP/1.1 304 X\r\nContent-Length: 2\r\n\r\nok'], '205 and a body': ['HTTP/1.1 205 X\r\nContent-Length: 2\r\n\r\nok'],
  'an interim one that closes': [`HTTP/1.1 103 X\r\nConnection: close\r\n\r\n${ok}`], 'an interim one of HTTP/1.0': [`HTTP/1.0 100 X\r\n\r\n${ok}`],
  'an interim one with a length': [`HTTP/1.1 103 X\r\nContent-Length: 2\r\n\r\n${ok}`],
  'an interim one with chunks': [`HTTP/1.1 103 X\r\nTransfer-Encoding: chunked\r\n\r\n${ok}`],
  '101 late': [`HTTP/1.1 100 X\r\n\r\nHTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n`],
  '200 that upgrades': ['HTTP/1.1 200 OK\r\nUpgrade: x\r\nConnection: upgrade\r\nContent-Length: 2\r\n\r\nok'],
  'too few bytes in HTTP/1.0': ['HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\no'],
  'no bytes, closing': ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n'],
  'a chunk cut short, closing': ['HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\no'],
  'keep-alive in HTTP/1.0': ['HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok'],
  'close and keep-alive': [field('Connection: close, keep-alive')], 'a hint of 1 s': [field('Keep-Alive: timeout=1')],
  'a hint of 60 s': [field('Keep-Alive: max=5, timeout=60')], 'a hint of nothing': [field('Keep-Alive: timeout=')],
  'two hints': [field('Keep-Alive: timeout=60\r\nKeep-Alive: timeout=1'), 'the shorter of two hints counts'],
};

test('every framing of ours is made the same of, whole and in pieces, kept open and ended', async () => {
  const found = await differences(Object.entries(framings).map(([name, [text]]) => ({ name, bytes: bytesOf(text) })));
  const stricter = Object.entries(framings).filter(([, [, because]]) => because !== undefined).map(([name]) => [name, 'stricter']);
  assert.deepEqual([...found].sort(), stricter.sort());
});

test('every framing of a parser\'s own fixtures is made the same of, whole and in pieces, kept open and ended', async () => {
  const found = await differences(httpInputs('response'));
  // A single carriage return; the others end with one.
  const stricter = new Set(['invalid.md#10']);
  assert.deepEqual([...found].filter(([name, what]) => what !== 'stricter' || !stricter.has(name)), []);
});

test('a body that ends with its connection before it is whole is a reset, however it came', async () => {
  const bodies = [['Content-Length: 5', 'hello'], ['Transfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n']] as const;
  for (const head of ['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK\r\nConnection: close', 'HTTP/1.0 200 OK']) {
    for (const [framing, body] of bodies) {
      for (let length = 0; length < body.length; length++) {
        const bytes = bytesOf(`${head}\r\n${framing}\r\n\r\n${body.slice(0, length)}`);
        for (const cuts of [[], [5], everyByte(bytes.length)]) {
          const made = await player.play(createSocketDestination, { bytes, cuts, closing: true });
          assert.deepEqual([made.ending, made.reused, made.next], ['reset', false, 'next'], `${bytes}`);
        }
      }
    }
  }
});

/** The reference takes the space for a digit, counts to another length than its own parser, and fails the call at its end. */
const lengthAndSpace = /content-length:[\t ]*[0-9]+ +[\r\n]/i;

test('a space after a length is not part of it, which the reference gets wrong', async () => {
  const [own, reference] = await both({ bytes: bytesOf('HTTP/1.1 200 OK\r\nContent-Length: 2 \r\n\r\nok'), closing: false });
  assert.deepEqual([own.ending, own.body, own.reused, own.headers[1], reference.ending], ['end', 'ok', true, '2', 'protocol']);
});

/** The reference takes the hint of an interim head for the answer's own. */
const hintAhead = /^HTTP\/1\.1 1[0-9]{2} (?:(?!\r\n\r\n)[^])*\r\nKeep-Alive:(?:(?!\r\n\r\n)[^])*\r\n\r\nHTTP/i;

test('the head of the answer sets how long a connection may be idle, not an interim one', async () => {
  const text = 'HTTP/1.1 103 X\r\nKeep-Alive: timeout=1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  assert.match(text, hintAhead);
  const [own, reference] = await both({ bytes: bytesOf(text), closing: false });
  assert.deepEqual([own.ending, own.reused, own.next, reference.ending, reference.reused], ['end', true, 'next', 'end', false]);
});

/** The recorded answer as it may have travelled: with its length, in chunks, or until the end. */
function framed({ response }: Exchange, how: number): { readonly bytes: Buffer; readonly closing: boolean } {
  const { status, headers, body } = response;
  const own = headers.filter(([name]) => !/^(?:content-length|transfer-encoding|connection|keep-alive)$/i.test(name));
  const bodyless = status === 204 || status === 304;
  const framing = bodyless || how === 2 ? '' : how === 0 ? `Content-Length: ${body.length}\r\n` : 'Transfer-Encoding: chunked\r\n';
  const head = bytesOf(`HTTP/1.1 ${status} X\r\n${own.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${framing}\r\n`);
  if (bodyless) return { bytes: head, closing: false };
  if (how !== 1) return { bytes: Buffer.concat([head, body]), closing: how === 2 };
  const chunks: Buffer[] = [];
  for (let at = 0, size = 1; at < body.length; at += size, size = 1 + (size * 7) % 900) {
    const chunk = body.subarray(at, at + size);
    chunks.push(bytesOf(`${chunk.length.toString(16)}\r\n`), chunk, bytesOf('\r\n'));
    size = chunk.length;
  }
  return { bytes: Buffer.concat([head, ...chunks, bytesOf('0\r\n\r\n')]), closing: false };
}

test('recorded answers are made the same of, with a length, in chunks and until the end, in pieces', async () => {
  const exchanges = readWires.flatMap((wire) => corpusOrFixtures(wire));
  // All of them if they are few, else as many as take a few seconds.
  const taken = exchanges.filter((_, at) => at % Math.ceil(exchanges.length / 150) === 0);
  for (const [at, exchange] of taken.entries()) {
    const { bytes, closing } = framed(exchange, at % 3);
    const [own, reference] = await both({ method: exchange.request.method, bytes, cuts: cutsOf(bytes.length, at), closing });
    assert.equal(difference(own, reference), null, exchange.name);
    assert.ok(own.ending === 'end' && own.body === exchange.response.body.toString('latin1'), exchange.name);
  }
});

const lines = ['HTTP/1.1 200 OK', 'HTTP/1.0 200 OK', 'HTTP/1.1 204 X', 'HTTP/1.1 304 X', 'HTTP/1.1 500 X', 'HTTP/1.1 103 X\r\n\r\nHTTP/1.1 200 OK'];
const fields = [
  'Content-Length: 5', 'Content-Length: 05', 'Content-Length: 5\t', 'Content-Length: +5', 'content-length:0', 'Transfer-Encoding: chunked',
  'transfer-encoding:\tchunked', 'Transfer-Encoding: chunked\t', 'Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked', 'Connection: close', 'Connection: keep-alive', 'Connection: upgrade', 'Upgrade: h2c', 'Keep-Alive: timeout=1',
  'Keep-Alive: timeout=60', 'X:\ta \t', 'X: a\r\n b', 'X : a', ': a', 'X',
];
const bodies = ['', 'hello', '5\r\nhello\r\n0\r\n\r\n', '5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n', '5\nhello\n0\n\n', ok];
const scraps = [
  ...lines, ...fields, ...bodies, '\r\n', '\r\n\r\n', '\n', '\r', ' ', '\t', '\0', '\x7f', '\xff', ':', ',', ';', '0', 'f', '-1', '0x5',
];

/** Answers, most of them almost right. */
const answers = fc.tuple(fc.constantFrom(...lines), fc.array(fc.constantFrom(...fields), { maxLength: 3 }), fc.constantFrom(...bodies),
  fc.array(fc.tuple(fc.nat(), fc.constantFrom(...scraps), fc.integer({ min: 0, max: 3 })), { maxLength: 2 }))
  .map(([line, names, body, scars]) => scars.reduce((text, [where, scrap, dropped]) => {
    const at = where % (text.length + 1);
    return text.slice(0, at) + scrap + text.slice(at + dropped);
  }, `${line}\r\n${names.map((name) => `${name}\r\n`).join('')}\r\n${body}`));

test('no answer that is almost right is made more of than the reference makes of it', async () => {
  const mutated = fc.record({
    text: answers, seed: fc.nat(), closing: fc.boolean(), method: fc.constantFrom('GET', 'GET', 'POST', 'HEAD'),
  });
  await fc.assert(fc.asyncProperty(mutated, async ({ text, seed, closing, method }) => {
    fc.pre(!lengthAndSpace.test(text) && !hintAhead.test(text));
    const bytes = bytesOf(text);
    const differs = difference(...await both({ bytes, cuts: cutsOf(bytes.length, seed), closing, method }));
    if (differs === 'stricter') return;
    assert.equal(differs, null, JSON.stringify(text));
  }), { numRuns: draws(600) });
});
