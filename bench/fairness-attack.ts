/**
 * `node bench/fairness-attack.ts ATTACK GATEWAY PLATFORM KEY TAPKEY`: one organization's behaviour that another must not notice, until
 * standard input ends. Writes a line once it has begun. A separate process, so that it does not slow down the one that measures.
 * `node bench/fairness-attack.ts provider`: that organization's own provider, which answers with a bomb if a header asks for it; writes its URL.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { RawConnection, rawCall } from '@metergate/testkit/raw-client.ts';

export type Attack = 'stalled' | 'dripping' | 'runs' | 'idle' | 'tap' | Burst;
/** 190 calls at once, again and again: each on a connection of its own, or on kept ones; with a small body, or a large one. */
export type Burst = 'plain' | 'kept' | 'large' | Bomb;
/** Answers that decompress to 64 MiB. */
type Bomb = 'bombs' | 'bombs-gzip' | 'bombs-deflate' | 'bombs-zstd';

const [attack, gatewayUrl = '', platformUrl = '', key = '', tapKey = ''] = process.argv.slice(2);
const bearer: HeaderPair = ['Authorization', `Bearer ${key}`];
const json: HeaderPair = ['content-type', 'application/json'];
const open: RawConnection[] = [];
const head = (framing: string): string => `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${framing}\r\n\r\n`;

/** That many connections which each send this; refused ones are not replaced. */
async function occupy(count: number, bytes: string): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const connection = await RawConnection.open(gatewayUrl).catch(() => null);
    if (connection === null) continue;
    connection.socket.on('error', () => {});
    if (bytes !== '') connection.send(bytes);
    open.push(connection);
  }
}

/** Repeats something until the process ends, also after a failure. */
async function forEver(work: () => Promise<unknown>, pauseMs: number): Promise<never> {
  for (;;) {
    await work().catch(() => {});
    await new Promise((resume) => setTimeout(resume, pauseMs));
  }
}

const atOnce = 190;
const pauseMs = 1_000;

/** One call of a burst. */
function callOf(burst: Burst): Parameters<typeof rawCall>[1] {
  const body = JSON.stringify({ model: 'm', pad: 'x'.repeat(burst === 'large' ? 100_000 : 0) });
  return { target: '/upstream/v1/chat/completions', headers: [bearer, ['x-answer', burst]], body };
}

async function beginBursts(burst: Burst): Promise<void> {
  const call = callOf(burst);
  const connections = Array.from({ length: burst === 'kept' ? atOnce : 0 }, () => RawConnection.open(gatewayUrl));
  const kept = await Promise.all(connections);
  const one = (at: number): Promise<unknown> => kept[at]?.call(call) ?? rawCall(gatewayUrl, call);
  void forEver(() => Promise.allSettled(Array.from({ length: atOnce }, (_, at) => one(at))), pauseMs);
}

const codings: Readonly<Record<Bomb, readonly [string, (bytes: Buffer) => Buffer]>> = {
  bombs: ['br', brotliCompressSync],
  'bombs-gzip': ['gzip', gzipSync],
  'bombs-deflate': ['deflate', deflateSync],
  'bombs-zstd': ['zstd', zstdCompressSync],
};

/** Bombs in each coding, and a plain answer of the size of the smallest. */
async function provide(): Promise<string> {
  const json = { 'content-type': 'application/json' };
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const bombs = new Map(Object.entries(codings).map(([name, [coding, compressed]]) =>
    [name, { headers: { ...json, 'content-encoding': coding }, body: compressed(zeros) }]));
  const usage = '{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}';
  const plain = { headers: json, body: Buffer.from(usage.padEnd(bombs.get('bombs')!.body.length)) };
  const server = createServer((request, response) => {
    const { headers, body } = bombs.get(String(request.headers['x-answer'])) ?? plain;
    request.resume().on('end', () => response.writeHead(200, headers).end(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function newRun(): Promise<unknown> {
  const run: HeaderPair = ['x-svc-run-id', randomBytes(8).toString('hex')];
  return rawCall(gatewayUrl, { target: '/v1/chat/completions', headers: [bearer, run], body: '{"model":"m"}' });
}

function flood(): Promise<unknown> {
  const timestamp = new Date().toISOString();
  const events = Array.from({ length: 500 }, () => ({
    provider: 'openai', model: randomBytes(6).toString('hex'), request_id: randomBytes(12).toString('hex'), input_tokens: 1, output_tokens: 1,
    cached_tokens: 0, stop_reason: 'stop', tool_calls: 0, status: 200, retries: 0, latency_ms: 1, rate_limit: null, timestamp,
    tag: randomBytes(6).toString('hex'), schema: 'svc-tap-v1',
  }));
  return rawCall(platformUrl, { target: '/tap/v1/events', headers: [['Authorization', `Bearer ${tapKey}`], json], body: JSON.stringify({ events }) });
}

const begin: Readonly<Record<Attack, () => Promise<void>>> = {
  stalled: () => occupy(9, `${head('Transfer-Encoding: chunked')}11170\r\n${'x'.repeat(0x11170)}\r\n`),
  async dripping() {
    await occupy(3_000, head('Content-Length: 60000') + 'x'.repeat(50_000));
    let at = 0;
    // Each connection sends a byte every ten seconds.
    setInterval(() => {
      for (let sent = 0; sent < 30 && open.length > 0; sent += 1) open[at++ % open.length]!.send('x');
    }, 100);
  },
  plain: () => beginBursts('plain'),
  kept: () => beginBursts('kept'),
  large: () => beginBursts('large'),
  bombs: () => beginBursts('bombs'),
  'bombs-gzip': () => beginBursts('bombs-gzip'),
  'bombs-deflate': () => beginBursts('bombs-deflate'),
  'bombs-zstd': () => beginBursts('bombs-zstd'),
  async runs() {
    for (let at = 0; at < 1_000; at += 10) await Promise.allSettled(Array.from({ length: 10 }, newRun));
    void forEver(newRun, 20);
  },
  idle: () => occupy(300, ''),
  async tap() {
    for (let at = 0; at < 8; at += 1) void forEver(flood, 0);
  },
};

// It plays other machines, so it must not take processor time from the product.
setPriority(19);
if (attack === 'provider') process.stdout.write(`${await provide()}\n`);
else {
  await begin[attack as Attack]();
  process.stdout.write('under way\n');
}
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
