/** When the young are collected for the large pieces that came. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { ArrivingRequest } from '../callers/arriving-request.ts';
import { CallerConnection, type UsualCallers } from '../callers/caller-connection.ts';
import { createConnections } from '../callers/connections.ts';
import { SetClock } from '../callers/test-support/set-clock.ts';
import { collectedBytesMin, LargePieces, largeBytesMin } from './large-pieces.ts';
import { createSocketDestination } from '../network/socket-destination.ts';

const mib = 1024 * 1024;

function byHand(): { pieces: LargePieces; endTurn: () => void; collected: () => number } {
  const tasks: (() => void)[] = [];
  let collected = 0;
  return {
    pieces: new LargePieces({ atTurnsEnd: (task) => tasks.push(task), collectYoung: () => void (collected += 1) }),
    endTurn: () => { for (const task of tasks.splice(0)) task(); },
    collected: () => collected,
  };
}

test('the young are collected once for so many bytes of large pieces, at the end of the turn in which they are enough', () => {
  const { pieces, endTurn, collected } = byHand();
  for (let round = 1; round <= 3; round += 1) {
    for (let bytes = 0; bytes < 2 * collectedBytesMin; bytes += 64 * 1024) pieces.came(64 * 1024);
    assert.equal(collected(), round - 1);
    endTurn();
    assert.equal(collected(), round);
    endTurn();
    assert.equal(collected(), round);
  }
});

test('small pieces, which are what events of streams are, count for nothing', () => {
  const { pieces, endTurn, collected } = byHand();
  for (let bytes = 0; bytes < 2 * collectedBytesMin; bytes += largeBytesMin - 1) pieces.came(largeBytesMin - 1);
  endTurn();
  assert.equal(collected(), 0);
});

/** Much more than it takes, however small the pieces are in which it comes. */
const triesMax = 32;

test('answers of a provider and bodies of callers are collected for, also where each is whole after a few pieces', async (t) => {
  const seen = { forced: 0 };
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind, flags } = (entry as PerformanceEntry & { readonly detail: { readonly kind: number; readonly flags: number } }).detail;
      if (kind === constants.NODE_PERFORMANCE_GC_MINOR && flags === constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) seen.forced += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  t.after(() => observer.disconnect());
  for (const receive of [await answering(t), await sending(t)]) {
    seen.forced = 0;
    for (let tries = 0; tries < triesMax && seen.forced < 2; tries += 1) {
      await receive();
      await turn();
    }
    assert.ok(seen.forced >= 2, 'nothing was collected');
  }
});

/** Receives sixteen answers of a mebibyte each, one after the other, through the client that forwards. */
async function answering(t: TestContext): Promise<() => Promise<void>> {
  const provider = createHttpServer((request, response) => void request.resume().on('end', () => response.end(Buffer.alloc(mib, 'x'))));
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const destination = createSocketDestination({ origin, timeouts: { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 }, guard: null });
  t.after(async () => {
    await destination.close();
    provider.close();
  });
  const answer = (): Promise<void> => new Promise((resolve, reject) => {
    destination.send({ method: 'GET', target: '/', headers: [], body: null, contentLength: null, keyId: 'k' }, {
      head() {}, data() {}, end: resolve, failed: ({ cause }) => reject(cause),
    });
  });
  return async () => {
    for (let at = 0; at < 16; at += 1) await answer();
  };
}

/** Takes sixteen mebibytes more of a caller's body, which is read while it comes. */
async function sending(t: TestContext): Promise<() => Promise<void>> {
  const connections = createConnections();
  const limits = { firstRequestMs: 15_000, keepAliveMs: 75_000, silenceMs: 960_000, momentMs: 100, bodyMs: 3_600_000 };
  const seen = { bytes: 0 };
  const callers: UsualCallers = {
    serve: (request) => void (request as ArrivingRequest).on('data', (chunk: Buffer) => { seen.bytes += chunk.length; }),
    clock: new SetClock(), momentClock: new SetClock(), limits, keptBytes: 0, leaveToNode() {},
  };
  const server = createServer((socket) => {
    const connection = connections.of(socket);
    connection.reader = new CallerConnection(callers, connection);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => {
    caller.destroy();
    server.close();
  });
  caller.write(`POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Length: ${1024 * mib}\r\n\r\n`);
  const body = Buffer.alloc(16 * mib, 'x');
  return async () => {
    const until = seen.bytes + body.length;
    caller.write(body);
    await eventually(() => seen.bytes >= until);
  };
}
