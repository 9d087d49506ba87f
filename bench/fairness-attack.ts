/**
 * `node bench/fairness-attack.ts ATTACK GATEWAY PLATFORM KEY TAPKEY`: one organization's behaviour that another is not to notice, until
 * standard input ends. Writes a line once it is under way. A process of its own, so that it takes nothing of who measures.
 * `node bench/fairness-attack.ts provider`: that organization's own provider, which answers with a bomb where a header asks for it; writes its URL.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { brotliCompressSync } from 'node:zlib';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { RawConnection, rawCall } from '@metergate/testkit/raw-client.ts';

export type Attack = 'stalled' | 'dripping' | 'bombs' | 'plain' | 'runs' | 'idle' | 'tap';

const [attack, gatewayUrl = '', platformUrl = '', key = '', tapKey = ''] = process.argv.slice(2);
const bearer: HeaderPair = ['Authorization', `Bearer ${key}`];
const json: HeaderPair = ['content-type', 'application/json'];
const open: RawConnection[] = [];
const head = (framing: string): string => `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${framing}\r\n\r\n`;

/** So many connections that each send this; those that are refused are not there. */
async function occupy(count: number, bytes: string): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const connection = await RawConnection.open(gatewayUrl).catch(() => null);
    if (connection === null) continue;
    connection.socket.on('error', () => {});
    if (bytes !== '') connection.send(bytes);
    open.push(connection);
  }
}

/** Again and again until the process ends; what fails is tried again. */
async function forEver(work: () => Promise<unknown>, pauseMs: number): Promise<never> {
  for (;;) {
    await work().catch(() => {});
    await new Promise((resume) => setTimeout(resume, pauseMs));
  }
}

/** Answers of one size on the wire: one unfolds to 64 MiB, the other is what it seems. */
function answered(answer: 'bomb' | 'plain'): Promise<unknown> {
  return rawCall(gatewayUrl, { target: '/upstream/v1/chat/completions', headers: [bearer, ['x-answer', answer]], body: '{"model":"m"}' });
}

async function provide(): Promise<string> {
  const bomb = brotliCompressSync(Buffer.alloc(64 * 1024 * 1024));
  const usage = '{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}';
  const plain = Buffer.from(usage.padEnd(bomb.length));
  const server = createServer((request, response) => {
    const isBomb = request.headers['x-answer'] === 'bomb';
    request.resume().on('end', () => response
      .writeHead(200, { 'content-type': 'application/json', ...(isBomb ? { 'content-encoding': 'br' } : {}) }).end(isBomb ? bomb : plain));
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
    // Each connection a byte in ten seconds.
    setInterval(() => {
      for (let sent = 0; sent < 30 && open.length > 0; sent += 1) open[at++ % open.length]!.send('x');
    }, 100);
  },
  async bombs() {
    void forEver(() => Promise.allSettled(Array.from({ length: 190 }, () => answered('bomb'))), 1_000);
  },
  async plain() {
    void forEver(() => Promise.allSettled(Array.from({ length: 190 }, () => answered('plain'))), 1_000);
  },
  async runs() {
    for (let at = 0; at < 1_000; at += 10) await Promise.allSettled(Array.from({ length: 10 }, newRun));
    void forEver(newRun, 20);
  },
  idle: () => occupy(300, ''),
  async tap() {
    for (let at = 0; at < 8; at += 1) void forEver(flood, 0);
  },
};

// It plays other machines: it is not to take processors from the product.
setPriority(19);
if (attack === 'provider') process.stdout.write(`${await provide()}\n`);
else {
  await begin[attack as Attack]();
  process.stdout.write('under way\n');
}
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
