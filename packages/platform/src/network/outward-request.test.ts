/** A request to an address that somebody gave us settles whatever is answered there. Decision 320. */
import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createAddressGuard } from '@metergate/store/network/address-guard.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { getText } from '../price-feed/get-text.ts';
import { postNotice } from '../notices/post-notice.ts';
import { OutwardFault, outwardRequest, type OutwardRequest } from './outward-request.ts';

const guard = createAddressGuard({ allow: parseAddressRanges(['127.0.0.0/8']) });
const upgrade = 'connection: upgrade\r\nupgrade: x\r\n\r\n';
/** What a server does with a request, by its path. */
const deeds: Readonly<Record<string, (socket: Socket) => void>> = {
  '/101': (socket) => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}`),
  '/101-more': (socket) => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}and bytes of another protocol`),
  '/101-plain': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  '/103-101': (socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n${upgrade}`),
  '/1xx': (socket) => socket.write('HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'.repeat(1_000)),
  '/closed': (socket) => socket.end(),
  '/reset': (socket) => socket.resetAndDestroy(),
  '/half-head': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
  '/half-body': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
  '/half-chunk': (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc'),
  '/no-http': (socket) => socket.end('220 mail.example ready\r\n'),
  '/silent': () => {},
  '/stops': (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
  '/103-200': (socket) => socket.end('HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc'),
  '/upgradable': (socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 3\r\n${upgrade}abc`),
};
const server = createServer((socket) => {
  socket.on('error', () => {}).once('data', (bytes) => deeds[/ (\S+) /.exec(String(bytes))![1]!]!(socket));
});
let origin = '';
before(async () => {
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => { server.close(); });

/** The answer's text, or the kind of fault. */
async function asked(path: string, changes: Partial<OutwardRequest> = {}): Promise<string> {
  try {
    return await outwardRequest(new URL(`${origin}${path}`), { headers: {}, guard, deadlineMs: 30_000, ...changes }, async (answer) => {
      let text = '';
      for await (const piece of answer) text += String(piece);
      return text;
    });
  } catch (fault) {
    return fault instanceof OutwardFault ? fault.kind : (fault as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

test('each answer settles the request, also one that switches protocols unasked', async () => {
  const outcomes = new Map<string, string>();
  for (const path of Object.keys(deeds).filter((each) => each !== '/silent' && each !== '/stops')) outcomes.set(path, await asked(path));
  assert.deepEqual(Object.fromEntries(outcomes), {
    '/101': 'switched', '/101-more': 'switched', '/101-plain': 'switched', '/103-101': 'switched', '/1xx': 'failed', '/closed': 'failed',
    '/reset': 'failed', '/half-head': 'failed', '/half-body': 'ECONNRESET', '/half-chunk': 'ECONNRESET', '/no-http': 'failed',
    '/103-200': 'abc', '/upgradable': 'abc',
  });
});

test('the deadline and the signal settle it by themselves, before an answer and within one', async () => {
  for (const path of ['/silent', '/stops']) {
    assert.equal(await asked(path, { deadlineMs: 50 }), 'late', path);
    const ending = new AbortController();
    const answer = asked(path, { signal: ending.signal });
    ending.abort();
    assert.equal(await answer, 'ended', path);
  }
  assert.equal(await asked('/103-200', { signal: AbortSignal.abort() }), 'ended');
});

test('for a webhook and a price list at such an address the fault is a sentence', async () => {
  const notice = { secret: 'whsec_AAAA', id: 'msg_1', body: '{}', nowMs: 0 };
  const words = 'it answered with status 101, which nobody asked for';
  const attempt = await postNotice({ ...notice, url: `${origin}/101` }, { guard, deadlineMs: 30_000 });
  assert.deepEqual(attempt, { delivered: false, status: null, error: words });
  const rules = { guard, deadlineMs: 30_000, bytesMax: 100, etag: null };
  assert.deepEqual(await getText(`${origin}/101`, rules), { kind: 'fault', why: words });
  assert.deepEqual(await getText(`${origin}/half-body`, rules), { kind: 'fault', why: 'the connection failed (ECONNRESET)' });
});
