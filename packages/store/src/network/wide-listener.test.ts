/** How many connections a listener takes in a turn, and that it is one address like any other. Decision 117. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, Server, type AddressInfo, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { test, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import { closeListeners } from './closing-listener.ts';
import { listenersMax, listenWide, type Listeners } from './wide-listener.ts';

const sharesPorts = process.platform === 'linux';
const address = { host: '127.0.0.1', port: 0 };
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const close = (listeners: Listeners): Promise<void> => new Promise((ended) => { closeListeners(listeners, { closed() {}, ended }); });

/** Dials so many connections on a separate thread, so that they come while this thread works; says when all are there. */
const dialler = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, count, arrived } } = require('node:worker_threads');
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1', () => Atomics.add(arrived, 0, 1)).on('error', () => {}).resume());
  parentPort.once('message', () => { for (const socket of sockets) socket.destroy(); });
`;

/** Has so many connections wait, and counts the turns in which all of them are taken. */
async function turnsFor(t: TestContext, server: Server, count: number): Promise<number> {
  const arrived = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(dialler, { eval: true, workerData: { port: portOf(server), count, arrived } });
  t.after(() => worker.terminate());
  await once(worker, 'online');
  let taken = 0;
  const turns = new Set<number>();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {}).resume();
    turns.add(performance.nodeTiming.uvMetricsInfo.loopCount);
    if ((taken += 1) === count) resolve();
  });
  // This thread is busy until they all wait.
  while (Atomics.load(arrived, 0) < count);
  assert.equal(taken, 0);
  await promise;
  worker.postMessage('end');
  return turns.size;
}

test('of 320 connections that wait, a turn takes up to one of each socket', { skip: !sharesPorts }, async (t) => {
  const [alone, wide] = [createServer(), createServer()];
  const listeners = await listenWide(wide, address);
  t.after(() => close(listeners));
  alone.listen(0, '127.0.0.1');
  await once(alone, 'listening');
  t.after(() => alone.close());
  assert.equal(listeners.length, listenersMax);
  assert.equal(await turnsFor(t, alone, 320), 320);
  const turns = await turnsFor(t, wide, 320);
  // The system draws a socket for each of them: 20 a socket on average.
  assert.ok(turns >= 20 && turns < 80, `${turns} turns`);
});

test('the connections of all its sockets are the server\'s own, and each is answered', async (t) => {
  const server = createHttpServer((_request, response) => response.end('yes'));
  const listeners = await listenWide(server, address);
  t.after(() => close(listeners));
  const answers = await Promise.all(Array.from({ length: 64 }, async () => {
    const answer = await fetch(`http://127.0.0.1:${portOf(server)}`, { headers: { connection: 'close' } });
    return answer.text();
  }));
  assert.deepEqual(new Set(answers), new Set(['yes']));
});

test('an address that another server has is refused, whether that one shares it or not', async (t) => {
  const [plain, wide] = [createServer(), createServer()];
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  t.after(() => plain.close());
  const listeners = await listenWide(wide, address);
  t.after(() => close(listeners));
  for (const taken of [plain, wide]) {
    const server = createServer();
    await assert.rejects(listenWide(server, { host: '127.0.0.1', port: portOf(taken) }), { code: 'EADDRINUSE' });
    assert.equal(server.listening, false);
  }
});

test('where sockets cannot share an address, it is one socket', async (t) => {
  const { listen } = Server.prototype;
  t.mock.method(Server.prototype, 'listen', function refusing(this: Server, options: { readonly reusePort?: boolean }) {
    if (options.reusePort !== true) return listen.call(this, options);
    process.nextTick(() => this.emit('error', Object.assign(new Error('not supported'), { code: 'ENOTSUP' })));
    return this;
  });
  const server = createServer((socket) => void socket.end('yes'));
  const listeners = await listenWide(server, address);
  t.after(() => close(listeners));
  assert.deepEqual(listeners, [server]);
  const caller = connect(portOf(server), '127.0.0.1');
  assert.equal(String((await once(caller, 'data'))[0]), 'yes');
  caller.destroy();
});

test('all of its sockets close, and it has ended once the connections of each have', async () => {
  const taken: Socket[] = [];
  const server = createServer((socket) => void taken.push(socket.resume()));
  const listeners = await listenWide(server, address);
  const callers = await Promise.all(Array.from({ length: 64 }, async () => {
    const caller = connect(portOf(server), '127.0.0.1');
    await once(caller, 'connect');
    return caller.resume();
  }));
  let ended = false;
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const ends = new Promise<void>((end) => {
    closeListeners(listeners, { closed: resolve, ended() {
      ended = true;
      end();
    } });
  });
  await closed;
  assert.deepEqual([listeners.some((listener) => listener.listening), taken.length, ended], [false, 64, false]);
  for (const caller of callers) caller.end();
  await ends;
});

/** On a separate thread, for each message: calls without a pause until it is answered, and reports how the attempts ended. */
const caller = `
  const { connect } = require('node:net');
  const { parentPort, workerData: port } = require('node:worker_threads');
  const call = (seen) => {
    const socket = connect(port, '127.0.0.1');
    const end = (how) => {
      socket.removeAllListeners().on('error', () => {}).destroy();
      seen.add(how);
      if (how === 'answered') parentPort.postMessage([...seen]);
      else setImmediate(call, seen);
    };
    socket.on('error', ({ code }) => end(code)).on('close', () => end('closed')).on('data', () => end('answered')).write('x');
  };
  parentPort.on('message', () => call(new Set()));
`;

test('whoever connects while it begins to listen is refused or answered, and never reset', { timeout: 120_000 }, async (t) => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const port = portOf(free);
  await new Promise((resolve) => { free.close(resolve); });
  const worker = new Worker(caller, { eval: true, workerData: port });
  t.after(() => worker.terminate());
  const seen = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    const server = createServer((socket) => socket.on('error', () => {}).on('data', () => socket.end('ok')));
    const answered = once(worker, 'message');
    worker.postMessage('call');
    const listeners = await listenWide(server, { host: '127.0.0.1', port });
    for (const how of (await answered as [string[]])[0]) seen.add(how);
    await close(listeners);
  }
  seen.delete('ECONNREFUSED');
  assert.deepEqual([...seen], ['answered']);
});
