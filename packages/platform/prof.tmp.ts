import { randomBytes, createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { openStore } from '@metergate/store/store.ts';
import { createBaselineWithKey } from './src/baselines.ts';
import { tapPrices } from './src/tap-prices.ts';
import { readTapBatch } from '@metergate/core/tap/batch.ts';
const dir = mkdtempSync('/tmp/prof-');
const bytes = (n: number) => randomBytes(n);
const store = await openStore({ url: `sqlite:${dir}/s.db`, masterKey: bytes(32), clock: Date.now, randomBytes: bytes, create: true });
const ground = { store, randomBytes: bytes, nowMs: Date.now() };
const org: any = await store.organizations.create({ name: 'x', plan: 'scale' });
const b: any = await createBaselineWithKey(ground, org.id);
const keyHash = createHash('sha256').update(b.key).digest('hex');
const models = ['gpt-4o','gpt-5','o3'];
const wide = process.argv[2] === 'wide';
const ev = (): any => ({ schema:'svc-tap-v1', provider: 'openai', model: models[Math.floor(Math.random()*3)], request_id: randomBytes(15).toString('hex'), input_tokens: 1000, output_tokens: 5, cached_tokens: 0, stop_reason: 'stop', tool_calls: 0, status: 200, retries: 0, latency_ms: Math.floor(Math.exp(4+Math.random()*6)), rate_limit: null, timestamp: new Date(Date.now() - (wide ? Math.floor(Math.random()*8)*86400000 : 0)).toISOString(), tag: 'u'+(wide ? Math.floor(Math.random()*200) : 1) });
const bodies = Array.from({ length: 300 }, () => Buffer.from(JSON.stringify({ events: Array.from({ length: 500 }, ev) })));
const parse: number[] = [], keep: number[] = []; let c0 = process.cpuUsage();
for (const [i, body] of bodies.entries()) {
  if (i === 100) c0 = process.cpuUsage();
  const t0 = performance.now(); const r: any = readTapBatch(body, Date.now()); const t1 = performance.now();
  await store.tapEvents.keep({ keyHash, events: r.events, ...tapPrices() });
  parse.push(t1 - t0); keep.push(performance.now() - t1);
}
const c = process.cpuUsage(c0); const q = (a: number[], p: number) => a.slice(100).sort((x, y) => x - y)[Math.floor(200 * p)]!.toFixed(1);
console.log(wide ? 'wide' : 'narrow', 'parse', q(parse, .1), q(parse, .5), 'keep', q(keep, .1), q(keep, .5), q(keep, .9), 'cpu/batch user', (c.user / 200e3).toFixed(1), 'sys', (c.system / 200e3).toFixed(1));
await store.close(); rmSync(dir, { recursive: true });
