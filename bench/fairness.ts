/**
 * `node bench/fairness.ts [--calls 300]`: what one organization's behaviour does to another's calls. In one run, against one product: the
 * 99th percentile of an organization's calls alone, and beside another that stalls bodies, drips them, lets answers unfold, or
 * leaves connections idle. Printed as ratios; nothing is asserted. On Linux `sh -c 'ulimit -n 400; node bench/fairness.ts'` shows the
 * last of them at few descriptors, the others then with fewer connections than they ask for.
 */
import { brotliCompressSync } from 'node:zlib';
import { parseArgs } from 'node:util';
import { RawConnection, rawCall } from '@metergate/testkit/raw-client.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { startSystem } from '@metergate/testkit/system.ts';

const { values } = parseArgs({ options: { calls: { type: 'string', default: '300' } } });
const calls = Number(values.calls);
const bearer = (key: string): HeaderPair => ['Authorization', `Bearer ${key}`];
const json: HeaderPair = ['content-type', 'application/json'];

const system = await startSystem();
await system.createOrganization('hog', 'scale');
await system.connectProvider('openai', 'hog');
await system.declareUpstream({ organization: 'hog' });
const own = (await system.createKey()).key;
const hog = (await system.createKey({ organization: 'hog' })).key;
system.openai.respond({ headers: [json], body: '{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}' });
system.upstream.respond({ headers: [json, ['content-encoding', 'br']], body: brotliCompressSync(Buffer.alloc(64 * 1024 * 1024)) });

const open: RawConnection[] = [];
const hogHead = (framing: string): string => `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hog}\r\n${framing}\r\n\r\n`;

/** So many connections that each send this; those that are refused are not there. */
async function occupy(count: number, bytes: string): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const connection = await RawConnection.open(system.gatewayUrl).catch(() => null);
    if (connection === null) continue;
    connection.socket.on('error', () => {});
    if (bytes !== '') connection.send(bytes);
    open.push(connection);
  }
}

/** The 99th percentile of small and of large chat calls by the other organization, one after the other, milliseconds. */
async function p99(): Promise<number> {
  const tookMs: number[] = [];
  for (let at = 0; at < calls; at += 1) {
    const beganMs = performance.now();
    const body = JSON.stringify({ model: 'm', messages: [], pad: 'x'.repeat(at % 10 === 0 ? 100_000 : 100) });
    const answer = await rawCall(system.gatewayUrl, { target: '/v1/chat/completions', headers: [bearer(own)], body });
    if (answer.status !== 200) throw new Error(`a call was answered ${answer.status}`);
    tookMs.push(performance.now() - beganMs);
  }
  return tookMs.toSorted((a, b) => a - b)[Math.floor(calls * 0.99)]!;
}

const attacks: Readonly<Record<string, () => Promise<void>>> = {
  'nine stalled bodies': () => occupy(9, `${hogHead('Transfer-Encoding: chunked')}11170\r\n${'x'.repeat(0x11170)}\r\n`),
  '3,000 dripping bodies': () => occupy(3_000, hogHead('Content-Length: 60000') + 'x'.repeat(50_000)),
  '190 brotli bombs': async () => {
    const call = { target: '/upstream/v1/chat/completions', headers: [bearer(hog)], body: '{}' };
    for (let at = 0; at < 190; at += 1) void rawCall(system.gatewayUrl, call).catch(() => null);
  },
  '600 idle connections': () => occupy(600, ''),
};

try {
  await p99();
  for (const [name, attack] of Object.entries(attacks)) {
    const alone = await p99();
    await attack();
    const beside = await p99();
    console.log(`${name}: p99 ${beside.toFixed(1)} ms beside it, ${alone.toFixed(1)} ms alone, ${(beside / alone).toFixed(2)} times; `
      + `${((system.residentBytes() ?? 0) / 2 ** 20).toFixed(0)} MiB resident`);
    await Promise.all(open.splice(0).map((connection) => connection.close()));
  }
} finally {
  await system.stop();
}
