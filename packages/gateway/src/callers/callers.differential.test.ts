/**
 * Requests read by our code compared with Node's server, which is the reference: the same bytes in the same pieces get the same answers, byte
 * for byte except for ids, reach the provider alike, and are recorded and counted alike. The differences are listed here. Decision 0042.
 */
import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { httpInputs } from '@metergate/testkit/written-inputs.ts';
import { ownKey } from '../test-support/whole-node.ts';
import { startPlayedNode, type Outcome, type Played, type PlayedNode } from './test-support/played-requests.ts';

interface Both {
  readonly own: PlayedNode;
  readonly reference: PlayedNode;
}

async function startBoth(t: TestContext): Promise<Both> {
  return { own: await startPlayedNode(t, 'us'), reference: await startPlayedNode(t, 'node') };
}

const gone = ({ recorded }: Outcome): number => recorded.filter((record) => record.includes(' caller_gone ')).length;

/**
 * Bytes that are no request behind calls, which come while those are served: Node's server answers them in place of the calls, which were
 * forwarded, and their caller counts as gone. Ours answers the call that it is serving, and then them.
 */
function answersTheCallFirst(ours: Outcome, theirs: Outcome): boolean {
  return theirs.got.startsWith('HTTP/1.1 400 ') && gone(ours) < gone(theirs) && ours.got.startsWith('HTTP/1.1 ') && ours.recorded.length > 0;
}

/** As that, where the answer had begun: Node's server ends the connection within it, or before any of it has left. Ours sends all of it first. */
function losesTheAnswer(ours: Outcome, theirs: Outcome): boolean {
  return theirs.ending !== 'open' && ours.ending !== 'open' && ours.got.startsWith(theirs.got) && !theirs.got.includes('HTTP/1.1 400 ')
    && ours.got.slice(theirs.got.length).includes('HTTP/1.1 400 ') && isDeepStrictEqual(ours.received, theirs.received)
    && isSameButForGone(ours, theirs);
}

/** The same calls, of which Node's server counts some as left by their caller. */
function isSameButForGone(ours: Outcome, theirs: Outcome): boolean {
  const withoutOutcome = (record: string): string => record.replace(/ (?:cut|completed|caller_gone) .*/, '');
  return theirs.recorded.length === ours.recorded.length && theirs.recorded.every((record, at) =>
    record === ours.recorded[at] || (record.includes(' caller_gone ') && withoutOutcome(record) === withoutOutcome(ours.recorded[at]!)));
}

/** Such bytes behind a call whose answer breaks as well: Node's server has closed its caller's connection by then, ours has not. */
function blamesTheCaller(ours: Outcome, theirs: Outcome): boolean {
  return isDeepStrictEqual({ ...ours, recorded: [] }, { ...theirs, recorded: [] }) && ours.ending !== 'open' && isSameButForGone(ours, theirs);
}

/** Ours serves only whole requests: one that ends early is answered as incomplete, and not refused for its head. */
function refusesWhatIsCut(ours: Outcome, theirs: Outcome): boolean {
  const at = ours.got.lastIndexOf('HTTP/1.1 400 ');
  return at >= 0 && theirs.got.startsWith(ours.got.slice(0, at)) && ours.ending === theirs.ending && ours.refused === theirs.refused - 1
    && isDeepStrictEqual(ours.received, theirs.received) && isDeepStrictEqual(ours.recorded, theirs.recorded);
}

/**
 * Refusals, followed by bytes that are no request. Node reads bytes from the system in other steps than bytes that are handed to it: there it
 * has sent the refusals when it finds those bytes, here they are still being sent, and it closes after the current one.
 */
function closesSooner(ours: Outcome, theirs: Outcome): boolean {
  const more = theirs.got.startsWith(ours.got) ? theirs.got.slice(ours.got.length) : '';
  return (more.includes('HTTP/1.1 400 ') || more.startsWith('HTTP/1.1 417 ')) && isDeepStrictEqual({ ...ours, got: '' }, { ...theirs, got: '' });
}

/** A call behind one whose answer breaks: Node's server had forwarded it by then, for nobody, maybe to its end. Ours had not begun it. */
function beginsNothingBehind(ours: Outcome, theirs: Outcome): boolean {
  const more = theirs.recorded.filter((record) => !ours.recorded.includes(record));
  return ours.got === theirs.got && ours.ending !== 'open' && theirs.ending !== 'open'
    && more.every((record) => / caller_gone | completed /.test(record))
    && ours.recorded.every((record) => theirs.recorded.includes(record)) && ours.received.every((text) => theirs.received.includes(text));
}

/** Null if both gave the same result; else both results. A first difference is played again with more patience. */
async function difference({ own, reference }: Both, played: Played): Promise<null | { readonly ours: Outcome; readonly theirs: Outcome }> {
  for (const patience of [12, 100]) {
    const [ours, theirs] = [await own.play(played, patience), await reference.play(played, patience)];
    if (isDeepStrictEqual(ours, theirs) || answersTheCallFirst(ours, theirs) || closesSooner(ours, theirs)) return null;
    if (beginsNothingBehind(ours, theirs) || losesTheAnswer(ours, theirs) || blamesTheCaller(ours, theirs)) return null;
    if (played.closing === true && refusesWhatIsCut(ours, theirs)) return null;
    if (patience === 100) return { ours, theirs };
  }
  return null;
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Up to six places to cut, by a seed. */
function cutsOf(length: number, seed: number): number[] {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = (): number => (state = (state * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32;
  return Array.from({ length: Math.floor(next() * 7) }, () => 1 + Math.floor(next() * Math.max(1, length - 1))).sort((one, other) => one - other);
}

/** Each byte of the first few hundred by itself. */
const everyByte = (length: number): number[] => Array.from({ length: Math.min(length, 260) }, (_, at) => at + 1);

const key = `Authorization: Bearer ${ownKey}\r\n`;
const head = (start: string, fields = ''): string => `${start} HTTP/1.1\r\nHost: x\r\n${key}${fields}\r\n`;
const post = (fields: string, body: string, target = '/v1/responses'): string => head(`POST ${target}`, fields) + body;
const plain = post('Content-Length: 2\r\n', '{}');
const get = (how: string): string => head(`GET /v1/models?how=${how}`);
const sized = (bytes: number): string => post(`Content-Length: ${bytes}\r\n`, 'a'.repeat(bytes));
const lastChunk = '0\r\n\r\n';
const inChunks = (body: string, target = '/v1/responses'): string => post('Transfer-Encoding: chunked\r\n', body, target);
const chunksOf = (bytes: number, count: number): string => `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`.repeat(count) + lastChunk;
const field = (line: string): string => post(`${line}\r\nContent-Length: 2\r\n`, '{}');
const many = (count: number): string => {
  const lines = Array.from({ length: count - 3 }, (_, n) => `X-${n}: ${n}\r\n`);
  return post(`${lines.join('')}Content-Length: 2\r\n`, '{}');
};
const headOf = (bytes: number): string => {
  const start = head('GET /v1/models');
  return head('GET /v1/models', `X: ${'a'.repeat(bytes - start.length - 5)}\r\n`);
};

const framings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(METHODS.map((name) => [name, head(`${name} /v1/models`)])),
  'a call': plain, 'a GET': head('GET /v1/models'), 'no key': 'POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'another path': head('GET /elsewhere'), 'no host': `GET /v1/models HTTP/1.1\r\n${key}\r\n`, 'two hosts': head('GET /v1/models', 'Host: y\r\n'),
  'two hosts and another behind it': head('GET /v1/models', 'Host: y\r\n') + plain,
  'a bad host': `GET /v1/models HTTP/1.1\r\nHost: x/?\r\n${key}\r\n`, 'an absolute target': head('GET http://x/v1/models'),
  'a target of its own': head('OPTIONS *'), 'dots': head('GET /v1/../x'), 'a fragment': head('GET /v1/models#a'),
  'a long target': head(`GET /v1/models?${'a'.repeat(9_000)}`),
  'a length and chunks': post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  'chunks and a length': post('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', '0\r\n\r\n'),
  'two lengths': post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'),
  'a length twice': post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), 'a length of 010': post('Content-Length: 010\r\n', '{}{}{}{}{}'),
  'a length of +2': post('Content-Length: +2\r\n', '{}'), 'a length of 0x2': post('Content-Length: 0x2\r\n', '{}'),
  'no length': post('Content-Length:\r\n', '{}'), 'a list of lengths': post('Content-Length: 2, 2\r\n', '{}'),
  'a tab behind a length': post('Content-Length: 2\t\r\n', '{}'), 'a space behind a length': post('Content-Length: 2 \r\n', '{}'),
  'a length without end': post(`Content-Length: ${'9'.repeat(30)}\r\n`, '{}'), 'a negative length': post('Content-Length: -1\r\n', '{}'),
  'gzip, chunked': post('Transfer-Encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
  ',chunked': post('Transfer-Encoding: ,chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), 'identity': post('Transfer-Encoding: identity\r\n', '{}'),
  'chunks': post('Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
  'chunks with extensions and trailers': post('Transfer-Encoding: chunked\r\nTrailer: X\r\n', '2;a=b;c="d"\r\n{}\r\n0;e\r\nX: y\r\n\r\n'),
  'long chunks': inChunks(chunksOf(16_384, 13)), 'long chunks of a chat': inChunks(chunksOf(16_384, 5), '/v1/chat/completions'),
  'a chat in chunks': inChunks(`f\r\n{"stream":true}\r\n${lastChunk}`, '/v1/chat/completions'),
  'a chat in chunks of one byte':
    inChunks(`${[...'{"stream":true}'].map((each) => `1\r\n${each}\r\n`).join('')}${lastChunk}`, '/v1/chat/completions'),
  'long chunks without a key': inChunks(chunksOf(16_384, 13)).replace(key, ''),
  'a long chunk that is cut': inChunks(chunksOf(90_000, 1).slice(0, 80_000)),
  'long chunks and then an extension': inChunks(chunksOf(16_384, 5).replace(lastChunk, `5;a=b\r\nhello\r\n${lastChunk}`)) + plain,
  'long chunks and then trailers': inChunks(chunksOf(16_384, 5).replace(lastChunk, '0\r\nX: y\r\nZ: a\r\n\r\n')) + plain,
  'long chunks and then none': inChunks(chunksOf(16_384, 5).replace(lastChunk, 'x\r\n')) + plain,
  'long chunks without a key and then none': inChunks(chunksOf(16_384, 5).replace(lastChunk, 'x\r\n')).replace(key, '') + plain,
  'an extension of 17 KiB': inChunks(`5;${'a'.repeat(17_408)}\r\nhello\r\n${lastChunk}`),
  'trailers of 17 KiB': inChunks(`0\r\nX: ${'a'.repeat(17_408)}\r\n\r\n`),
  'chunks and an answer that is torn': inChunks(`2\r\n{}\r\n${lastChunk}`, '/v1/responses?how=torn') + plain,
  'chunks and no answer': inChunks(`2\r\n{}\r\n${lastChunk}`, '/v1/responses?how=away') + plain,
  'no chunks': inChunks(lastChunk) + plain,
  'two bodies in chunks': inChunks(`2\r\n{}\r\n${lastChunk}`) + inChunks(`2\r\n{}\r\n${lastChunk}`),
  'chunks twice over': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `2\r\n{}\r\n${lastChunk}`),
  'chunked, chunked': post('Transfer-Encoding: chunked, chunked\r\n', `2\r\n{}\r\n${lastChunk}`),
  'CHUNKED': post('TRANSFER-ENCODING: CHUNKED\r\n', `2\r\n{}\r\n${lastChunk}`),
  'a space behind chunked': post('Transfer-Encoding: chunked \r\n', lastChunk),
  'a length of 0 and chunks': post('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n', `2\r\n{}\r\n${lastChunk}`),
  'chunks and a length of 0': post('Transfer-Encoding: chunked\r\nContent-Length: 0\r\n', `2\r\n{}\r\n${lastChunk}`),
  'chunks and an expectation': post('Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n', `2\r\n{}\r\n${lastChunk}`),
  'chunks by HTTP/1.0': inChunks(`2\r\n{}\r\n${lastChunk}`).replace('HTTP/1.1', 'HTTP/1.0'),
  'a bad chunk': post('Transfer-Encoding: chunked\r\n', '2\r\n{}x\r\n0\r\n\r\n'), 'a folded field': field('X: a\r\n b'),
  'a space before the colon': field('X : a'), 'line feeds alone': plain.replaceAll('\r\n', '\n'),
  'carriage returns alone': plain.replaceAll('\r\n', '\r'), 'NUL in a value': field('X: a\0b'), 'NUL in a name': field('X\0: a'),
  'a control in a value': field('X: a\x01b\x7f'), 'bytes above 0x7f': field('X: \x80\xe9\xff'), 'bytes above 0x7f in a name': field('X\xe9: a'),
  'bytes above 0x7f in a target': head('GET /v1/models/\xe9'), 'bytes above 0x7f in labels': field('x-svc-tags: a\xe9,b'), 'no name': field(': a'),
  'no colon': field('X'), '31 fields': many(31), '32 fields': many(32), '33 fields': many(33), '64 fields': many(64), '1000 fields': many(1000),
  'a head of 16 KiB less 1': headOf(16_383), 'a head of 16 KiB': headOf(16_384), 'a head of 16 KiB and 1': headOf(16_385),
  'a head of 17 KiB': headOf(17_408), 'a head of 17 KiB and another behind it': headOf(17_408) + plain, 'lines before': `\r\n\r\n${plain}`,
  'lines behind': `${plain}\r\n\r\n`, 'lines between': `${plain}\r\n${plain}`, 'a line feed before': `\n${plain}`,
  'a carriage return before': `\r${plain}`, 'a byte behind': `${plain}x`, 'garbage behind': `${plain}\x16\x03\x01\x00\xee`,
  'half of another behind': `${plain}POST /v1/resp`, 'keep-alive': field('Connection: keep-alive'), 'Keep-Alive': field('Connection: Keep-Alive'),
  'keep-alive twice': field('Connection: keep-alive\r\nConnection: keep-alive'), 'keep-alive, close': field('Connection: keep-alive, close'),
  'close': field('Connection: close'), 'CLOSE': field('Connection: CLOSE'), 'closed': field('Connection: closed'),
  'close in a second field': field('Connection: keep-alive\r\nConnection: close'),
  'close and another behind it': field('Connection: close') + plain, 'a named field': field('Connection: X-A\r\nX-A: b'),
  'an empty connection': field('Connection:'), 'a list of keep-alive': field('Connection: keep-alive,'),
  'a proxy\'s connection': field('Proxy-Connection: close'), 'a hint': field('Keep-Alive: timeout=1'), 'TE': field('TE: trailers'),
  'an expectation': field('Expect: 100-continue'), 'an expectation in capitals': field('EXPECT: 100-Continue'),
  'another expectation': field('Expect: 200-ok'), 'an empty expectation': field('Expect:'),
  'an upgrade': field('Connection: Upgrade\r\nUpgrade: websocket'), 'an upgrade without connection': field('Upgrade: websocket'),
  'an upgrade to h2c': field('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: a'),
  'an upgrade in the connection alone': field('Connection: upgrade'), 'CONNECT': 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n',
  'HEAD': head('HEAD /v1/models'), 'PUT': head('PUT /v1/responses', 'Content-Length: 2\r\n') + '{}', 'DELETE': head('DELETE /v1/responses/a'),
  'PATCH': head('PATCH /v1/x', 'Content-Length: 0\r\n'), 'QUERY': head('QUERY /v1/models'), 'lower case': head('get /v1/models'),
  'PRI': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'TRACE': head('TRACE /v1/models'), 'M-SEARCH': head('M-SEARCH /v1/models'),
  'SOURCE': head('SOURCE /v1/models'), 'an unknown method': head('HELLO /v1/models'), 'HTTP/1.0': plain.replace('HTTP/1.1', 'HTTP/1.0'),
  'HTTP/1.0 kept': field('Connection: keep-alive').replace('HTTP/1.1', 'HTTP/1.0'), 'HTTP/1.2': plain.replace('HTTP/1.1', 'HTTP/1.2'),
  'HTTP/2.0': plain.replace('HTTP/1.1', 'HTTP/2.0'), 'HTTP/0.9': plain.replace('HTTP/1.1', 'HTTP/0.9'),
  'no version': plain.replace(' HTTP/1.1', ''), 'RTSP': plain.replace('HTTP/1.1', 'RTSP/1.0'),
  'a GET with a body': head('GET /v1/models', 'Content-Length: 2\r\n') + '{}',
  'a GET of chunks': `${head('GET /v1/models', 'Transfer-Encoding: chunked\r\n')}2\r\n{}\r\n0\r\n\r\n`,
  'a body of 0': post('Content-Length: 0\r\n', ''), 'a POST without a length': post('', ''), 'a body of 65535': sized(65_535),
  'a body of 65536': sized(65_536), 'a body of 65537': sized(65_537), 'a body of 200000': sized(200_000),
  'a body that is cut': sized(2_000).slice(0, -1), 'a long body that is cut': sized(200_000).slice(0, -1),
  'a long body without a key': sized(200_000).replace(key, ''), 'a long body without a path': sized(200_000).replace('/v1/', '/elsewhere/'),
  'a long body without a key that is cut': sized(200_000).replace(key, '').slice(0, 90_000),
  'a body of 2 MB without a key': sized(2_000_000).replace(key, ''), 'a long body and a call behind it': sized(100_000) + plain,
  'two long bodies': sized(100_000) + sized(70_000), 'a long body and garbage behind it': `${sized(100_000)}\x16\x03\x01\x00\xee`,
  'a long body and lines behind it': `${sized(100_000)}\r\n\r\n${plain}`, 'a long body and half of another': `${sized(100_000)}POST /v1/resp`,
  'a long body of a length that no number has': post('Content-Length: 1234567890123456\r\n', 'a'.repeat(70_000)),
  'a long chat': post('Content-Length: 200015\r\n', `{"stream":true,"a":"${'b'.repeat(199_993)}"}`, '/v1/chat/completions'),
  'a long chat that is no JSON': post('Content-Length: 200000\r\n', 'x'.repeat(200_000), '/v1/chat/completions'),
  'a long GET': head('GET /v1/models?how=chunks', 'Content-Length: 100000\r\n') + 'x'.repeat(100_000),
  'a long body and an answer that is torn': post('Content-Length: 100000\r\n', 'x'.repeat(100_000), '/v1/responses?how=torn') + plain,
  'a long body and no answer': post('Content-Length: 100000\r\n', 'x'.repeat(100_000), '/v1/responses?how=away') + plain,
  'a chat that is streamed': post('Content-Length: 15\r\n', '{"stream":true}', '/v1/chat/completions'),
  'a chat of 65536': post('Content-Length: 65536\r\n', `{"stream":true,"a":"${'b'.repeat(65_515)}"}`, '/v1/chat/completions'),
  'a run without an id': field('x-svc-run-budget: 5'), 'a run': field('x-svc-run-id: a\r\nx-svc-run-budget: 5'),
  'a prototype': field('__proto__: a\r\nconstructor: b'), 'two keys': field(key.trimEnd()), 'no HTTP': '\x16\x03\x01\x00\xee', 'nothing': '',
  'a long line': 'a'.repeat(20_000), 'a message': post('Content-Length: 2\r\nx-api-key: a\r\n', '{}', '/v1/messages'),
  'an answer in chunks': get('chunks'), 'an answer of 204': get('none'), 'an empty answer': get('empty'), 'an answer of 304': get('same'),
  'a long answer': get('long'), 'an answer that is cut': get('cut'), 'an answer that is torn': get('torn'), 'no answer': get('away'),
  'an answer to the end': get('close'), 'an answer with a control in its head': get('control'), 'two': plain + plain,
  'three of all kinds': plain + get('chunks') + sized(70_000), 'five': plain + get('none') + get('long') + get('empty') + plain,
  'a call behind one that is cut': get('cut') + plain, 'a call behind one that is torn': get('torn') + plain,
  'a call behind one without an answer': get('away') + plain,
  'one without a key before a call': 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n' + plain,
  'a HEAD between': plain + head('HEAD /v1/models') + plain,
  'chunks between': plain + post('Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n') + plain,
  'HTTP/1.0 behind': plain + plain.replace('HTTP/1.1', 'HTTP/1.0'), 'an expectation behind': plain + field('Expect: 100-continue'),
  'refusals, and garbage behind': `${head('GET /v1/models', 'Upgrade: websocket\r\n')}${head('GET /v1/models', 'Expect: x\r\n')}5\r\nhello`,
  'a malformed one behind': plain + head('GET /v1/models', 'Host: y\r\n') + plain,
};

async function differences(t: TestContext, inputs: readonly { readonly name: string; readonly bytes: Buffer }[]): Promise<string[]> {
  const both = await startBoth(t);
  const found: string[] = [];
  for (const { name, bytes } of inputs) {
    for (const closing of [false, true]) {
      const slowly = cutsOf(bytes.length, closing ? 3 : 4);
      for (const cuts of [[], cutsOf(bytes.length, closing ? 1 : 2), slowly, ...(closing ? [] : [everyByte(bytes.length)])]) {
        const slow = cuts === slowly;
        const differs = await difference(both, { bytes, cuts, closing, slow });
        if (differs === null) continue;
        const how = `${name}${slow ? ', slowly' : ''}${closing ? ', then closed' : ''}, cut at ${cuts.length > 9 ? 'every byte' : cuts.join()}`;
        found.push(`${how}\n  ours ${JSON.stringify(differs.ours).slice(0, 1500)}\n  Node ${JSON.stringify(differs.theirs).slice(0, 1500)}`);
      }
    }
  }
  return found;
}

test('every framing of ours gets the same from both', async (t) => {
  assert.deepEqual(await differences(t, Object.entries(framings).map(([name, text]) => ({ name, bytes: bytesOf(text) }))), []);
});

/** The inputs of others, as they are, as calls of a caller with a key, and behind a call. */
function writtenByOthers(): { readonly name: string; readonly bytes: Buffer }[] {
  return httpInputs('request').flatMap(({ name, bytes }) => {
    const asCall = bytes.toString('latin1').replace(/^([A-Z-]+ )\S+( HTTP\/1\.[01]\r\n)/, `$1/v1/responses$2Host: x\r\n${key}`);
    return [
      { name, bytes }, { name: `${name} as a call`, bytes: bytesOf(asCall) },
      { name: `${name} behind a call`, bytes: Buffer.concat([bytesOf(plain), bytes]) },
    ];
  });
}

test('every framing of a parser\'s own fixtures gets the same from both', async (t) => {
  assert.deepEqual(await differences(t, writtenByOthers()), []);
});

const starts = [
  'POST /v1/responses HTTP/1.1', 'GET /v1/models?how=chunks HTTP/1.1', 'POST /v1/responses HTTP/1.0', 'HEAD /v1/models HTTP/1.1',
  'GET /v1/models?how=cut HTTP/1.1',
];
const fields = [
  'Content-Length: 5', 'Content-Length: 05', 'content-length:5\t', 'Content-Length: +5', 'Content-Length: 0', 'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\t', 'Transfer-Encoding: gzip, chunked', 'Transfer-Encoding : chunked', 'Connection: close',
  'Connection: keep-alive', 'Connection: upgrade', 'Upgrade: h2c', 'Upgrade: websocket', 'Expect: 100-continue', 'Expect: x', 'TE: trailers',
  'Host: y', 'X:\ta \t', 'X: a\r\n b', 'X : a', ': a', 'X', 'x-svc-run-budget: a', 'x-svc-tags: a,b',
];
const bodies = ['', 'hello', '5\r\nhello\r\n0\r\n\r\n', '5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n', '5\nhello\n0\n\n', plain, `hello${plain}`];
const scraps = [
  ...starts, ...fields, ...bodies, '\r\n', '\r\n\r\n', '\n', '\r', ' ', '\t', '\0', '\x7f', '\xff', ':', ',', ';', '0', 'f', '-1', '0x5',
];

const request = fc.tuple(fc.constantFrom(...starts), fc.array(fc.constantFrom(...fields), { maxLength: 3 }), fc.constantFrom(...bodies))
  .map(([start, lines, body]) => `${start}\r\nHost: x\r\n${key}${lines.map((each) => `${each}\r\n`).join('')}\r\n${body}`);
/** One to three requests in a row, most of them almost right. */
const requests = fc.array(request, { minLength: 1, maxLength: 3 }).map((texts) => texts.join(''));
const almostRight = fc.tuple(requests, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...scraps), fc.integer({ min: 0, max: 3 })), { maxLength: 2 }))
  .map(([text, scars]) => scars.reduce((scarred, [where, scrap, dropped]) => {
    const at = where % (scarred.length + 1);
    return scarred.slice(0, at) + scrap + scarred.slice(at + dropped);
  }, text));

test('requests that are almost right get the same from both, cut anywhere', async (t) => {
  const both = await startBoth(t);
  const ways = fc.constantFrom('at once', 'waiting', 'slow');
  await fc.assert(fc.asyncProperty(almostRight, fc.nat(), fc.boolean(), ways, async (text, seed, closing, how) => {
    const bytes = bytesOf(text);
    const played = { bytes, cuts: cutsOf(bytes.length, seed), closing, waiting: how === 'waiting', slow: how === 'slow' };
    const differs = await difference(both, played);
    assert.deepEqual(differs?.ours, differs?.theirs, JSON.stringify(played.cuts));
  }), { numRuns: draws(300) });
});

const usualFields = [
  'Content-Length: 5', 'content-length: 5', 'Connection: keep-alive', 'x-svc-tags: a,b', 'X: a', 'x-svc-run-id: a', 'x-svc-project: p',
];
/** Requests of one client: the same head again, with another length of as many digits, or with one field changed. */
const ofOneClient = fc.tuple(fc.subarray(usualFields), fc.array(fc.constantFrom(
  'again', 'hello again', 'six', 'another key', 'no key', 'a field more', 'two lengths', 'a zero before', 'another path', 'half', 'doubled',
), { minLength: 1, maxLength: 4 })).map(([lines, changes]) => {
  const length = lines.some((line) => /^content-length/i.test(line)) ? lines : [...lines, 'Content-Length: 5'];
  const first = post(length.map((each) => `${each}\r\n`).join(''), 'hello');
  const changed: Readonly<Record<string, string>> = {
    'again': first, 'hello again': first.replace('hello', 'olleh'), 'six': first.replace(/: 5\r\n/i, ': 6\r\n').replace('hello', 'hello!'),
    'another key': first.replace('svc_live_', 'svc_live_Q'), 'no key': first.replace(key, ''),
    'a field more': first.replace('\r\nHost', '\r\nY: b\r\nHost'),
    'two lengths': first.replace('\r\nHost', '\r\nContent-Length: 5\r\nHost'), 'a zero before': first.replace(': 5\r\n', ': 05\r\n'),
    'another path': first.replace('/v1/responses', '/v1/elsewhere?'), 'half': first.replace(': 5\r\n', ': 4\r\n'), 'doubled': first + first,
  };
  return [first, ...changes.map((change) => changed[change]!)].map(bytesOf);
});

test('requests of one client, of which each comes behind the answer to the one before, get the same from both', async (t) => {
  const both = await startBoth(t);
  await fc.assert(fc.asyncProperty(ofOneClient, fc.boolean(), async (pieces, closing) => {
    const ends = pieces.map((_piece, index) => pieces.slice(0, index + 1).reduce((sum, { length }) => sum + length, 0));
    const played = { bytes: Buffer.concat(pieces), cuts: ends.slice(0, -1), closing, waiting: true };
    const differs = await difference(both, played);
    assert.deepEqual(differs?.ours, differs?.theirs, JSON.stringify(pieces.map((piece) => piece.toString('latin1'))));
  }), { numRuns: draws(120) });
});

/** How a size may be spelled, most of them as clients do. */
const spelledSize = fc.constantFrom<((bytes: number) => string)[]>(
  (bytes) => bytes.toString(16), (bytes) => bytes.toString(16), (bytes) => bytes.toString(16).toUpperCase(), (bytes) => `0${bytes.toString(16)}`,
  (bytes) => bytes.toString(16).padStart(8, '0'), (bytes) => bytes.toString(16).padStart(9, '0'), (bytes) => bytes.toString(16).padStart(40, '0'),
  (bytes) => `${bytes.toString(16)};a=b`, (bytes) => `${bytes.toString(16)};a="b;c"`, (bytes) => `${bytes.toString(16)} `,
  (bytes) => ` ${bytes.toString(16)}`, (bytes) => `+${bytes.toString(16)}`, (bytes) => `0x${bytes.toString(16)}`, (bytes) => (bytes + 1).toString(16),
  (bytes) => `${bytes.toString(16)}\t`, () => '', () => 'ffffffffffffffff', () => 'fffffffffffffffff', () => '-1', () => 'g',
);
const endOfLine = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '', '\r\r\n', '\r\n\r\n');
const bytesOfChunk = fc.constantFrom('hello', '{}', 'a\nb', '\n', '\r\n', 'x'.repeat(40), '0\r\n\r\n', '5\r\nhello\r\n', '\r', 'tail\n');
const drawnChunk = fc.tuple(spelledSize, endOfLine, bytesOfChunk, endOfLine)
  .map(([spell, line, bytes, end]) => `${spell(bytes.length)}${line}${bytes}${end}`);
const plainChunk = bytesOfChunk.map((bytes) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`);
const endOfChunks = fc.constantFrom(
  lastChunk, lastChunk, lastChunk, lastChunk, '00\r\n\r\n', '000000000\r\n\r\n', '0;a\r\n\r\n', '0\r\nX: y\r\n\r\n',
  '0\r\nX: y\r\nContent-Length: 5\r\n\r\n',
  '0\r\nX y\r\n\r\n', '0\n\n', '0\r\n\n', '0\r\n\r', '0\r\n', '0', '', '0\r\nTransfer-Encoding: chunked\r\n\r\n', '0\r\n : \r\n\r\n',
);
const framing = fc.constantFrom(
  'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', 'transfer-encoding:chunked',
  'Transfer-Encoding: Chunked', 'Transfer-Encoding: chunked\r\nContent-Length: 5', 'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTrailer: X', 'Transfer-Encoding: chunked\r\nConnection: keep-alive',
  'Transfer-Encoding: chunked\r\nConnection: close',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: chunked\r\nTE: trailers', 'Transfer-Encoding: xchunked',
);
const targets = fc.constantFrom(
  '/v1/responses', '/v1/responses', '/v1/chat/completions', '/v1/messages', '/elsewhere', '/v1/responses?how=chunks', '/v1/responses?how=torn',
);
const drawnBody = fc.tuple(
  fc.array(fc.oneof({ weight: 4, arbitrary: plainChunk }, { weight: 1, arbitrary: drawnChunk }), { maxLength: 4 }), endOfChunks,
).map(([chunks, end]) => chunks.join('') + end);
const behind = fc.constantFrom('', '', '', plain, 'x', '\r\n', inChunks(`2\r\n{}\r\n${lastChunk}`), get('chunks'), '0\r\n\r\n');
const drawnInChunks = fc.tuple(framing, drawnBody, targets, fc.integer({ min: 0, max: 9 }), behind).map(([line, body, target, known, next]) =>
  (known === 0 ? post(`${line}\r\n`, body, target).replace(key, '') : post(`${line}\r\n`, body, target)) + next);

test('bodies in chunks, plain and odd, get the same from both, cut anywhere', async (t) => {
  const both = await startBoth(t);
  const ways = fc.constantFrom('at once', 'waiting', 'slow', 'every byte');
  await fc.assert(fc.asyncProperty(drawnInChunks, fc.nat(), fc.boolean(), ways, async (text, seed, closing, how) => {
    const bytes = bytesOf(text);
    const cuts = how === 'every byte' ? Array.from({ length: bytes.length - 1 }, (_, at) => at + 1) : cutsOf(bytes.length, seed);
    const differs = await difference(both, { bytes, cuts, closing, waiting: how === 'waiting', slow: how === 'slow' });
    assert.deepEqual(differs?.ours, differs?.theirs, JSON.stringify([text, cuts.length > 9 ? how : cuts]));
  }), { numRuns: draws(400) });
});
