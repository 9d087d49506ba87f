/**
 * The host is never harmed by the endpoint or by what it did to its own runtime: the same output and exit code, nothing on stderr
 * (design 3, row 29; spec, Tap client wrapper 2). Real processes, real sockets.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { runHost } from './test-support/host.ts';
import { answer, startIngestionServer, type Answering } from './test-support/ingestion-server.ts';

/** Calls before, during and after a flush of the interval. */
const script = `tap(client, 't');
process.on('unhandledRejection', () => { console.log('unhandled rejection'); process.exitCode = 99; });
await call(120); await later(2300); await call(5); console.log('made', made);`;

async function hostAgainst(endpoint: string): Promise<void> {
  const ended = await runHost(script, { env: { SVC_TAP_KEY: 'svc_tap_test', SVC_TAP_ENDPOINT: endpoint } });
  assert.deepEqual([ended.code, ended.signal, ended.stdout, ended.stderr], [0, null, 'made 125\n', '']);
}

/** A port that does this with every connection. */
async function port(connected: (socket: Socket) => void): Promise<{ number: number; server: Server; close: () => void }> {
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
  return { number: (server.address() as AddressInfo).port, server, close };
}

/** Against a port that does this with every connection. */
async function hostAgainstPort(connected: (socket: Socket) => void, scheme = 'http'): Promise<void> {
  const listening = await port(connected);
  try {
    await hostAgainst(`${scheme}://127.0.0.1:${listening.number}/tap/v1/events`);
  } finally {
    listening.close();
  }
}

async function hostAgainstAnswers(answering: Answering): Promise<number> {
  const server = await startIngestionServer(answering);
  try {
    await hostAgainst(server.url);
    return server.posts.length;
  } finally {
    server.close();
  }
}

/** Each host waits for its interval most of its time: they wait side by side. */
describe('against an endpoint that harms,', { concurrency: 5 }, () => {
  test('an endpoint that is absent', async () => {
    const closed = await port(() => undefined);
    closed.close();
    await hostAgainst(`http://127.0.0.1:${closed.number}/tap/v1/events`);
  });

  test('a name that does not resolve', () => hostAgainst('http://tap.invalid/tap/v1/events'));

  test('an endpoint that takes the connection and never answers', () => hostAgainstPort((socket) => socket.resume()));

  test('an endpoint that answers one byte at a time, without end', () => hostAgainstPort((socket) => {
    socket.resume();
    socket.write('HTTP/1.1 500 Away\r\ncontent-length: 100000\r\n\r\n');
    const drip = setInterval(() => socket.write(' '), 50);
    socket.on('close', () => clearInterval(drip));
  }));

  test('an endpoint that ends every connection', () => hostAgainstPort((socket) => socket.destroy()));

  test('an endpoint that speaks no HTTP', () => hostAgainstPort((socket) => socket.end('220 mail.example ready\r\n')));

  test('bad TLS', () => hostAgainstPort((socket) => socket.end('HTTP/1.1 202 Accepted\r\n\r\n'), 'https'));

  test('500 for every post: at most three posts for each batch', async () => {
    assert.ok(await hostAgainstAnswers(answer(500)) <= 9);
  });

  test('307: not followed, so the key goes nowhere else', async () => {
    const elsewhere = await startIngestionServer();
    try {
      const posts = await hostAgainstAnswers((response) => response.writeHead(307, { location: elsewhere.url }).end());
      assert.equal(posts, 3, 'dropped, not posted again');
      assert.equal(elsewhere.posts.length, 0);
    } finally {
      elsewhere.close();
    }
  });

  test('an answer of 10 MB, also to a post that must be read', async () => {
    const body = JSON.stringify({ error: { code: 'x'.repeat(10_000_000) } });
    await hostAgainstAnswers((response) => response.writeHead(202, { 'content-type': 'application/json' }).end(body));
    const server = await startIngestionServer((response) => response.writeHead(410).end(body));
    try {
      const ended = await runHost(script, { env: { SVC_TAP_KEY: 'k', SVC_TAP_ENDPOINT: server.url } });
      assert.deepEqual([ended.code, ended.stdout], [0, 'made 125\n']);
      assert.equal(ended.stderr.trimEnd().split('\n').length, 1);
      assert.ok(ended.stderr.length < 200);
    } finally {
      server.close();
    }
  });
});

const patches = `const no = () => { throw new Error('patched'); };
globalThis.fetch = JSON.stringify = JSON.parse = Date.now = no; performance.now = no; crypto.randomUUID = no; Math.random = no;
globalThis.setTimeout = globalThis.clearTimeout = no; globalThis.AbortController = globalThis.TextDecoder = globalThis.Date = undefined;`;

test('a host that patches its runtime to throw after loading the tap: the same calls, and the events still arrive', async () => {
  for (const end of ['', 'process.exit(0)']) {
    const server = await startIngestionServer();
    try {
      const ended = await runHost(`tap(client, 't'); ${patches} await call(3); console.log('made', made); ${end}`, {
        env: { SVC_TAP_KEY: 'k', SVC_TAP_ENDPOINT: server.url },
      });
      assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, 'made 3\n', '']);
      assert.deepEqual(server.ids(), ['call_1', 'call_2', 'call_3']);
    } finally {
      server.close();
    }
  }
});

test('a host whose runtime throws before the tap is loaded: the same calls', async () => {
  const source = new URL('tap.ts', import.meta.url).href;
  const client = `const client = { chat: { completions: { create: async () => ({ id: 'a', model: 'm', choices: [], usage: {} }) } } };`;
  const inside = `${client} ${patches} const loaded = await import('${source}'); loaded.tap(client, 't', { key: 'k' });
    console.log((await client.chat.completions.create({})).id);`;
  const ended = await runHost(`{ ${inside} }`, { tap: 'data:text/javascript,export const tap = 0;' });
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, 'a\n', '']);
});

test('a stderr that is closed: the lines are lost, the host is not', async () => {
  const inside = `import fs from 'node:fs'; fs.closeSync(2); tap(client, 't'); tap({ ...client }, 't', { inspect: true });
    await call(2); console.log(made);`;
  const ended = await runHost(inside);
  assert.deepEqual([ended.code, ended.stdout], [0, '2\n']);
});
