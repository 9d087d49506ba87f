/** The rules that only our own client has: what it refuses to write, when a connection is used again, and its clock. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { after, before, describe, it, mock } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { CoarseClock, clockFor } from '../clock/coarse-clock.ts';
import type { OutboundRequest } from './destination.ts';
import { idleLimitMs } from './keep-alive.ts';
import { hasResponseParser } from '../http-parser/response-parser.ts';
import { requestHead, requestProblem } from './request-head.ts';
import { createSocketDestination } from './socket-destination.ts';
import { ask, listen, startRawPeer, type RawPeer } from './test-support/raw-peer.ts';
import { createUndiciDestination } from './undici-destination.ts';

const patient = { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 };
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const plain: OutboundRequest = { method: 'GET', target: '/', headers: [], body: null, contentLength: null, keyId: 'key-1' };

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

it('Node has the parser, and it reads what it should', () => {
  assert.equal(hasResponseParser, true);
});

describe('what is written', () => {
  const host = 'x';
  let peer: RawPeer;
  before(async () => { peer = await startRawPeer((socket) => socket.end(ok)); });
  after(() => peer.close());

  const bits = fc.string({ unit: fc.constantFrom(...'aZ09-_/?:, \t\r\n\0\x01\x7f\x80\xff\u0100\u010d\u010a(){}"\\%#é'), maxLength: 6 });
  const odd = fc.oneof(bits, fc.constantFrom('host', 'Connection', 'KEEP-ALIVE', 'upgrade', 'Expect', 'transfer-encoding', 'content-length', 'x'));

  it('is never what the reference refuses: method, target, names and values of headers', async () => {
    const reference = createUndiciDestination({ origin: peer.origin, timeouts: patient, guard: null });
    await fc.assert(fc.asyncProperty(fc.record({
      method: fc.oneof(fc.constant('GET'), odd), target: fc.oneof(fc.constant('/'), odd, odd.map((text) => `/${text}`)),
      headers: fc.array(fc.tuple(odd, odd), { maxLength: 2 }).map((pairs) => pairs.flat()),
    }), async (parts) => {
      if ((await ask(reference, parts)).ending !== 'protocol') return;
      assert.notEqual(requestProblem({ ...plain, ...parts }, host), null);
    }), { numRuns: draws(300) });
    await reference.close();
  });

  it('is one request line and one line for each header, whatever they contain', () => {
    fc.assert(fc.property(fc.record({
      method: odd, target: odd.map((text) => `/${text}`), headers: fc.array(fc.tuple(odd, odd), { maxLength: 3 }).map((pairs) => pairs.flat()),
    }), (parts) => {
      const request = { ...plain, ...parts };
      if (requestProblem(request, host) !== null) return;
      const head = Buffer.from(requestHead(request, 'x'), 'latin1').toString('latin1');
      assert.equal(head.split(/[\r\n]+/).length, 1 + 3 + parts.headers.length / 2);
      assert.equal(head.split('\r\n').length, 1 + 3 + parts.headers.length / 2);
    }), { numRuns: draws(2_000) });
  });

  it('is no second length, host or connection, no header without a value and no length that is none', () => {
    for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'connection', 'Keep-Alive', 'UPGRADE', 'expect']) {
      assert.match(requestProblem({ ...plain, headers: [name, 'x'] }, host) ?? '', /is not forwarded/, name);
    }
    assert.equal(requestProblem({ ...plain, headers: ['x'] }, host), 'A header has no value.');
    for (const contentLength of [-1, 1.5, Number.NaN, 2 ** 53]) {
      assert.equal(requestProblem({ ...plain, contentLength }, host), 'The length is none.');
    }
  });
});

describe('a connection', () => {
  async function holding(): Promise<{ peer: RawPeer; sockets: Socket[]; destination: ReturnType<typeof createSocketDestination> }> {
    const sockets: Socket[] = [];
    const peer = await startRawPeer((socket) => { sockets.push(socket); socket.write(ok); });
    return { peer, sockets, destination: createSocketDestination({ origin: peer.origin, timeouts: patient, guard: null }) };
  }

  it('is not written to if bytes or an end came in before the call, although nobody has read them yet', async () => {
    for (const unasked of ['HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nINJECTED', '\r\n', null]) {
      const { peer, sockets, destination } = await holding();
      assert.equal(String((await ask(destination)).body), 'ok');
      await turn();
      // Both in one phase of the event loop: the bytes are there, and the client cannot have seen them.
      if (unasked === null) sockets[0]!.end();
      else sockets[0]!.write(unasked);
      const heard = await ask(destination);
      assert.deepEqual([heard.ending, String(heard.body), peer.connections], ['end', 'ok', 2], JSON.stringify(unasked));
      assert.equal(peer.received[0]!.toString().split('GET').length, 2, 'nothing more was written to the first');
      await destination.close();
      await peer.close();
    }
  });

  it('is not used again after HEAD, an unexpected body, or an answer that came before the request was written', async () => {
    const body = new PassThrough();
    body.write('abc');
    const lasts: Partial<OutboundRequest>[] = [{ method: 'HEAD' }, { body: Buffer.from('x') }, { method: 'POST', body, contentLength: 9 }];
    for (const request of lasts) {
      const { peer, destination } = await holding();
      assert.equal((await ask(destination, request)).ending, 'end');
      await peer.closed();
      await ask(destination);
      assert.equal(peer.connections, 2, JSON.stringify(request.method));
      await destination.close();
      await peer.close();
    }
  });

  it('is closed after an answer that came before its request was handed over, also where that is one piece', async () => {
    const sockets: Socket[] = [];
    const { peer, destination } = await (async () => {
      const slow = await startRawPeer((socket, n) => {
        socket.pause();
        sockets.push(socket);
        socket.write(n === 1 ? ok : '');
      });
      return { peer: slow, destination: createSocketDestination({ origin: slow.origin, timeouts: patient, guard: null }) };
    })();
    // More than the buffers of both sides hold.
    assert.equal((await ask(destination, { method: 'POST', body: Buffer.alloc(32 * 1024 * 1024) })).ending, 'end');
    assert.equal((await ask(destination)).ending, 'end');
    assert.equal(peer.connections, 2);
    for (const socket of sockets) socket.destroy();
    await destination.close();
    await peer.close();
  });

  it('is closed where too many are idle: the one that is idle the longest, whosever it is', async () => {
    const peer = await startRawPeer((socket) => socket.write(ok));
    const destination = createSocketDestination({ origin: peer.origin, timeouts: patient, guard: null, idleMax: 2 });
    const askAs = async (keyId: string): Promise<void> => {
      assert.equal((await ask(destination, { keyId })).ending, 'end');
      await turn();
    };
    for (const keyId of ['a', 'b', 'c']) await askAs(keyId);
    assert.equal(peer.connections, 3);
    for (const keyId of ['b', 'c']) await askAs(keyId);
    assert.equal(peer.connections, 3, 'those that are left are used');
    await askAs('a');
    assert.equal(peer.connections, 4, 'the first was closed');
    await destination.close();
    await peer.closed();
    await peer.close();
  });

  it('that waits too long for its next exchange is closed', async () => {
    const { peer } = await holding();
    const destination = createSocketDestination({ origin: peer.origin, timeouts: patient, guard: null, keepAliveMs: 40 });
    await ask(destination);
    await peer.closed();
    await destination.close();
    await peer.close();
  });

  it('whose exchange was given up before it was written serves no other and makes none fail', async () => {
    const { peer, destination } = await holding();
    await ask(destination);
    await turn();
    const given = listen(destination);
    await turn();
    given.exchange.abort();
    assert.equal((await given.heard).ending, 'aborted');
    assert.equal((await ask(destination)).ending, 'end');
    assert.ok(peer.received.every((bytes) => bytes.toString().split('GET').length === 2));
    await destination.close();
    await peer.close();
  });

  it('is closed if an observer throws, and the next exchange is not affected', async () => {
    const { peer, destination } = await holding();
    const failed = Promise.withResolvers<string>();
    destination.send(plain, { head() { throw new Error('ours'); }, data() {}, end() {}, failed: ({ kind }) => failed.resolve(kind) });
    assert.equal(await failed.promise, 'aborted');
    assert.equal((await ask(destination)).ending, 'end');
    await destination.close();
    await peer.close();
  });
});

describe('a body whose length is known', () => {
  const body = `\r\n\r\n${ok}\0\xff`;
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nX: y\r\n\r\n${body}`;

  it('is everything that came, wherever the bytes were cut and whatever they contain, and its connection is used again', async () => {
    const cuts = [0, 9, answer.indexOf('\r\n\r\n') + 2, answer.indexOf('\r\n\r\n') + 4, answer.indexOf('\r\n\r\n') + 6, answer.length - 1];
    const left = [...cuts];
    const peer = await startRawPeer((socket) => {
      const at = left.shift() ?? 0;
      socket.write(answer.slice(0, at), 'latin1');
      setImmediate(() => setImmediate(() => socket.write(answer.slice(at), 'latin1')));
    });
    const destination = createSocketDestination({ origin: peer.origin, timeouts: patient, guard: null });
    for (const at of cuts) {
      const heard = await ask(destination);
      assert.deepEqual([heard.ending, Buffer.concat([heard.body]).toString('latin1')], ['end', body], `cut at ${at}`);
    }
    assert.equal(peer.connections, 1);
    await destination.close();
    await peer.close();
  });

  it('ends where it says: a byte after it is dropped and ends the connection, and a missing one is a fault', async () => {
    for (const [sent, ending] of [[`${answer}x`, 'end'], [`${answer}${ok}`, 'end'], [answer.slice(0, -1), 'reset']] as const) {
      const peer = await startRawPeer((socket) => {
        socket.write(sent, 'latin1');
        if (ending === 'reset') socket.end();
      });
      const destination = createSocketDestination({ origin: peer.origin, timeouts: patient, guard: null });
      const heard = await ask(destination);
      const own = sent.slice(sent.indexOf('\r\n\r\n') + 4).slice(0, body.length);
      assert.deepEqual([heard.ending, Buffer.concat([heard.body]).toString('latin1')], [ending, own]);
      await peer.closed();
      await destination.close();
      await peer.close();
    }
  });
});

describe('how long a connection may wait', () => {
  const limit = (...pairs: string[]): number => idleLimitMs({ status: 200, pairs }, 30_000);
  const rows: [number, number][] = [
    [limit(), 30_000], [limit('Keep-Alive', 'timeout=5'), 3_000], [limit('keep-alive', 'max=9, timeout=60'), 30_000],
    [limit('Keep-Alive', 'timeout=2'), 0], [limit('Keep-Alive', 'timeout=60', 'KEEP-ALIVE', 'timeout=10'), 8_000],
    [limit('Keep-Alive', 'nottimeout=1'), 30_000], [limit('Connection', 'keep-alive'), 30_000],
    [idleLimitMs({ status: 204, pairs: ['Content-Length', '5'] }, 30_000), 0],
    [idleLimitMs({ status: 304, pairs: ['Content-Length', '00'] }, 30_000), 30_000],
    [idleLimitMs({ status: 304, pairs: ['transfer-encoding', 'x'] }, 30_000), 0],
  ];
  it('is the configured one, or less if the destination says so, with two seconds to spare', () => {
    for (const [at, [found, expected]] of rows.entries()) assert.equal(found, expected, `row ${at}`);
  });
});

describe('the clock of connections', () => {
  it('ticks while something is watched, and counts a stall of this process as two ticks of silence at most', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let nowMs = 1_000;
      const clock = new CoarseClock(10, () => nowMs);
      let looks = 0;
      const watched = { look: () => { looks += 1; } };
      const tick = (passedMs: number): void => {
        nowMs += passedMs;
        mock.timers.tick(10);
      };
      clock.watch(watched);
      tick(10);
      tick(12);
      assert.deepEqual([looks, clock.nowMs, clock.awakeMs], [2, 1_022, 22]);
      tick(5_000);
      assert.deepEqual([looks, clock.nowMs, clock.awakeMs], [3, 6_022, 42]);
      clock.forget(watched);
      tick(10);
      tick(10);
      assert.equal(looks, 3);
    } finally {
      mock.timers.reset();
    }
  });

  it('is shared by limits of about the same length, and looks several times within each', () => {
    assert.equal(clockFor(30_000), clockFor(900_000));
    for (const limitMs of [20, 40, 200, 1_000, 4_000, 900_000]) {
      const { tickMs } = clockFor(limitMs);
      assert.ok(tickMs >= 1 && tickMs <= 500 && tickMs * 4 <= limitMs, `${limitMs}: ${tickMs}`);
    }
  });
});
