/**
 * `node bench/fairness-attack.ts ATTACK GATEWAY PLATFORM KEY TAPKEY`: one organization's behaviour that another is not to notice, until
 * standard input ends. Writes a line once it is under way. A process of its own, so that it takes nothing of who measures.
 */
import { randomBytes } from 'node:crypto';
import { setPriority } from 'node:os';
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

function bomb(): Promise<unknown> {
  return rawCall(gatewayUrl, { target: '/upstream/v1/chat/completions', headers: [bearer], body: '{}' });
}

function plainCall(): Promise<unknown> {
  return rawCall(gatewayUrl, { target: '/v1/chat/completions', headers: [bearer], body: '{"model":"m"}' });
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
    void forEver(() => Promise.allSettled(Array.from({ length: 190 }, bomb)), 1_000);
  },
  async plain() {
    void forEver(() => Promise.allSettled(Array.from({ length: 190 }, plainCall)), 1_000);
  },
  async runs() {
    for (let at = 0; at < 500; at += 10) await Promise.allSettled(Array.from({ length: 10 }, newRun));
    void forEver(newRun, 20);
  },
  idle: () => occupy(300, ''),
  async tap() {
    for (let at = 0; at < 8; at += 1) void forEver(flood, 0);
  },
};

// It plays other machines: it is not to take processors from the product.
setPriority(19);
await begin[attack as Attack]();
process.stdout.write('under way\n');
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
