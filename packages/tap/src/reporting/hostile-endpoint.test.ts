/**
 * The host is never harmed by the endpoint or by what it did to its own runtime: the same output and exit code, nothing on stderr
 * (rule 29; spec, Tap client wrapper 2). Real processes, real sockets.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { runHost } from '../test-support/host.ts';
import { answer, startIngestionServer } from '../test-support/ingestion-server.ts';

/** A client for each endpoint; calls before, during and after a flush of the interval. */
const script = (endpoints: readonly string[]): string => `process.on('unhandledRejection', () => console.log('unhandled rejection'));
const { create } = client.chat.completions;
const clients = ${JSON.stringify(endpoints)}.map((endpoint) => tap({ chat: { completions: { create } } }, 't', { key: 'svc_tap_test', endpoint }));
const callAll = async (count) => { for (const each of clients) for (let at = 0; at < count; at += 1) await each.chat.completions.create({}); };
await callAll(120); await later(2300); await callAll(5); console.log('made', made);`;

/** A port that handles every connection in this way. */
async function port(connected: (socket: Socket) => void): Promise<{ number: number; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    connected(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { number: (server.address() as AddressInfo).port, close };
}

/** How a port handles a connection, with the scheme of the URL to reach it. */
const ports: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['http', (socket) => socket.resume()], // accepts the connection and never answers
  ['http', (socket) => { // answers one byte at a time, without end
    socket.resume();
    socket.write('HTTP/1.1 500 Away\r\ncontent-length: 100000\r\n\r\n');
    const drip = setInterval(() => socket.write(' '), 50);
    socket.on('close', () => clearInterval(drip));
  }],
  ['http', (socket) => socket.destroy()],
  ['http', (socket) => socket.end('220 mail.example ready\r\n')],
  ['https', (socket) => socket.end('HTTP/1.1 202 Accepted\r\n\r\n')],
];

test('endpoints that are absent, hang, drip, break off, speak no HTTP or bad TLS, fail, redirect or send 10 MB do not change the host', async () => {
  const elsewhere = await startIngestionServer();
  const body = JSON.stringify({ error: { code: 'x'.repeat(10_000_000) } });
  const failing = await startIngestionServer(answer(500));
  const redirecting = await startIngestionServer((response) => response.writeHead(307, { location: elsewhere.url }).end());
  const talking = await startIngestionServer((response) => response.writeHead(202, { 'content-type': 'application/json' }).end(body));
  const ending = await startIngestionServer((response) => response.writeHead(410).end(body));
  const servers = [elsewhere, failing, redirecting, talking, ending];
  const listening = await Promise.all(ports.map(async ([scheme, connected]) => ({ scheme, ...await port(connected) })));
  try {
    const endpoints = [
      'http://127.0.0.1:9/tap/v1/events', 'http://tap.invalid/tap/v1/events',
      ...listening.map(({ scheme, number }) => `${scheme}://127.0.0.1:${number}/tap/v1/events`),
      ...[failing, redirecting, talking, ending].map(({ url }) => url),
    ];
    const ended = await runHost(script(endpoints), { inRealTime: true });
    assert.deepEqual([ended.code, ended.signal, ended.stdout], [0, null, `made ${endpoints.length * 125}\n`]);
    // What hangs may use up all of the time that an end has, so that on a busy machine the 410 is not read any more.
    const line = 'metergate-tap: the tap has ended for this key: reporting stopped.\n';
    assert.ok(['', line].includes(ended.stderr), ended.stderr);
    const alone = await runHost(script([ending.url]));
    assert.deepEqual([alone.code, alone.stdout, alone.stderr], [0, 'made 125\n', line]);
    assert.equal(elsewhere.posts.length, 0, 'a redirect is not followed, so the key goes nowhere else');
    assert.ok(failing.posts.length <= 9, 'at most three posts for each batch');
    assert.ok(ended.durationMs < 20_000, 'the end is held up once, not by each endpoint');
  } finally {
    for (const each of [...servers, ...listening]) each.close();
  }
});

const patches = `const no = () => { throw new Error('patched'); };
globalThis.fetch = JSON.stringify = JSON.parse = Date.now = no; performance.now = no; crypto.randomUUID = no; Math.random = no;
globalThis.setTimeout = globalThis.clearTimeout = no; globalThis.AbortController = globalThis.TextDecoder = globalThis.Date = undefined;`;

test('a host patches its runtime to throw after loading the tap: its calls are the same, and the events still arrive', async () => {
  const server = await startIngestionServer();
  try {
    const ended = await runHost(`tap(client, 't'); ${patches} await call(3); console.log('made', made); process.exit(0)`, {
      env: { SVC_TAP_KEY: 'k', SVC_TAP_ENDPOINT: server.url },
    });
    assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, 'made 3\n', '']);
    assert.deepEqual(server.ids(), ['call_1', 'call_2', 'call_3']);
  } finally {
    server.close();
  }
});

test('a host whose runtime throws before the tap is loaded makes the same calls', async () => {
  const source = new URL('../tap.ts', import.meta.url).href;
  const client = `const client = { chat: { completions: { create: async () => ({ id: 'a', model: 'm', choices: [], usage: {} }) } } };`;
  const inside = `${client} ${patches} const loaded = await import('${source}'); loaded.tap(client, 't', { key: 'k' });
    console.log((await client.chat.completions.create({})).id);`;
  const ended = await runHost(`{ ${inside} }`, { tap: 'data:text/javascript,export const tap = 0;' });
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, 'a\n', '']);
});

test('with a closed stderr the lines are lost, and the host runs on', async () => {
  const inside = `import fs from 'node:fs'; fs.closeSync(2); tap(client, 't'); tap({ ...client }, 't', { inspect: true });
    await call(2); console.log(made);`;
  const ended = await runHost(inside);
  assert.deepEqual([ended.code, ended.stdout], [0, '2\n']);
});
