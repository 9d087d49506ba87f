/**
 * `node bench/tap-ingest.ts [--events N] [--postgres URL]`: the tap's own figures, separate from `npm run bench` because filling takes minutes.
 * 500-event batches a second through the endpoint, on an empty store and on a full one (5 million events by default), and the time of the
 * Baseline's report over all of them. If the report does not count what was sent, the benchmark fails: exit code 1.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { tapProviders, type TapEvent } from '@metergate/core/tap/event.ts';
import { createAskers } from '@metergate/platform/http/askers.ts';
import { createBaselineWithKey, showBaseline } from '@metergate/platform/use-cases/baselines.ts';
import { createBodyBudget } from '@metergate/platform/http/body-budget.ts';
import { withTap } from '@metergate/platform/http/tap.ts';
import { tapPrices } from '@metergate/platform/use-cases/tap-prices.ts';
import { openStore } from '@metergate/store/store.ts';

const { values } = parseArgs({ options: { events: { type: 'string', default: '5000000' }, postgres: { type: 'string' } } });
const eventsWanted = Number(values.events);
const directory = mkdtempSync(join(tmpdir(), 'metergate-bench-tap-'));
const bytes = (n: number): Uint8Array => randomBytes(n);
const store = await openStore({
  url: values.postgres ?? `sqlite:${join(directory, 'store.db')}`, masterKey: bytes(32), clock: Date.now, randomBytes: bytes, create: true,
});
const context = { store, randomBytes: bytes, nowMs: Date.now() };
const organization = await store.organizations.create({ name: `bench ${Date.now()}`, plan: 'scale' });
if (!('id' in organization)) throw new Error('the organization was refused');
const baseline = await createBaselineWithKey(context, organization.id);
if (!('id' in baseline)) throw new Error('the Baseline was refused');
const server = createServer(withTap(
  { store, askers: createAskers('http://platform.test'), bodies: createBodyBudget(), clock: Date.now, report: console.error },
  (_, response) => response.end(),
));
server.keepAliveTimeout = 3_600_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tap/v1/events`;

const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-5', 'o3', 'claude-sonnet-4-5', 'claude-opus-4-1', 'gemini-2.5-pro', 'gemini-2.5-flash',
  'grok-4', 'mistral-large-latest', 'text-embedding-3-small', 'in-house-1'];
const days = 8;
const tags = 200;
let state = 1;
/** Deterministic, so that two runs store the same events except for their ids and times. */
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

/** Events of any day, unit and model; or, like one client's batches, of today and of one unit. */
function someEvent(unit: string | null = null): TapEvent {
  const at = Math.floor(random() * models.length);
  return {
    provider: tapProviders[Math.min(Math.floor(at / 3), tapProviders.length - 1)]!, model: models[at]!,
    requestId: `chatcmpl-${randomBytes(15).toString('hex')}`,
    inputTokens: Math.floor(random() ** 4 * 300_000), outputTokens: Math.floor(random() * 2_000),
    cachedTokens: random() < 0.3 ? 512 : 0, stopReason: random() < 0.9 ? 'stop' : 'length', toolCalls: 0, status: random() < 0.98 ? 200 : 429,
    retries: 0, latencyMs: Math.floor(Math.exp(4 + random() * 6)), rateLimit: null,
    timestampMs: unit === null ? Date.now() - Math.floor(random() * days) * 86_400_000 : Date.now(),
    tag: unit ?? `unit-${Math.floor(random() * tags)}`,
  };
}

function bodyOf(events: readonly TapEvent[]): Buffer {
  return Buffer.from(JSON.stringify({ events: events.map((event) => ({
    schema: 'svc-tap-v1', provider: event.provider, model: event.model, request_id: event.requestId, input_tokens: event.inputTokens,
    output_tokens: event.outputTokens, cached_tokens: event.cachedTokens, stop_reason: event.stopReason, tool_calls: event.toolCalls,
    status: event.status, retries: event.retries, latency_ms: event.latencyMs, rate_limit: event.rateLimit,
    timestamp: new Date(event.timestampMs).toISOString(), tag: event.tag,
  })) }));
}

let sent = 0;
/** Sends that many batches of 500, on four connections, each batch of one client or of everything; gives batches a second. */
async function batchesPerSecond(count: number, kind: 'one client' | 'mixed'): Promise<string> {
  const bodies = Array.from({ length: count }, (_, at) =>
    bodyOf(Array.from({ length: 500 }, () => someEvent(kind === 'mixed' ? null : `unit-${at % tags}`))));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': 'bench' };
  const began = performance.now();
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
      const { accepted } = (await answer.json()) as { accepted?: number };
      if (accepted !== 500) throw new Error(`a batch was answered ${answer.status} with ${accepted}`);
      sent += accepted;
    }
  }));
  return `${(count / ((performance.now() - began) / 1_000)).toFixed(0)} batches of 500 a second (${kind})`;
}

const { key, id } = baseline;
await batchesPerSecond(100, 'mixed');
for (const kind of ['one client', 'mixed'] as const) console.log(`on a small store: ${await batchesPerSecond(200, kind)}`);
const filling = { keyHash: createHash('sha256').update(key).digest('hex'), ...tapPrices() };
const fillBegan = performance.now();
while (sent < eventsWanted) {
  const events = Array.from({ length: Math.min(10_000, eventsWanted - sent) }, () => someEvent());
  const kept = await store.tapEvents.keep({ ...filling, events });
  if (typeof kept === 'string') throw new Error(`the store said ${kept}`);
  sent += kept.accepted;
}
console.log(`filled to ${sent} events in ${((performance.now() - fillBegan) / 1_000).toFixed(0)} s`);
for (const kind of ['one client', 'mixed'] as const) console.log(`on the full store: ${await batchesPerSecond(200, kind)}`);
const times: number[] = [];
let counted = 0;
for (let round = 0; round < 9; round++) {
  const began = performance.now();
  const shown = await showBaseline(context, { id, organization: null });
  times.push(performance.now() - began);
  if ('report' in shown) counted = shown.report.total.calls.value;
}
times.sort((a, b) => a - b);
console.log(`report over ${counted} events: ${times[4]!.toFixed(0)} ms median, ${times[8]!.toFixed(0)} ms at most`);
if (values.postgres === undefined) console.log(`store: ${(statSync(join(directory, 'store.db')).size / 2 ** 20).toFixed(0)} MiB`);
server.close();
server.closeAllConnections();
await store.close();
rmSync(directory, { recursive: true, force: true });
if (counted !== sent) {
  console.error(`the report counts ${counted} of ${sent} events`);
  process.exitCode = 1;
}
