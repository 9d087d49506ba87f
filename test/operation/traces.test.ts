/**
 * Spans of calls at a collector: they are sent in OTLP's JSON form, a caller's `traceparent` is the parent and is forwarded unchanged, and
 * nothing ever waits for a collector.
 */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startSystem, type System } from '@metergate/testkit/system.ts';

interface Span {
  readonly traceId: string; readonly spanId: string; readonly parentSpanId?: string; readonly name: string; readonly kind: number;
  readonly startTimeUnixNano: string; readonly endTimeUnixNano: string; readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const heard: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
let status = 200;
const collector = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => {
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(Buffer.concat(pieces)) : Buffer.concat(pieces);
    if (status === 200) heard.push({ headers: request.headers, body: body.toString() });
    response.writeHead(status).end('{}');
  });
});

let system: System;
let key: string;

before(async () => {
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  const { port } = collector.address() as AddressInfo;
  system = await startSystem({ env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip', OTEL_SERVICE_NAME: 'the-gateway',
  } });
  ({ key } = await system.createKey({ project: 'canary-project' }));
  system.openai.respond(() => ({
    headers: [['content-type', 'application/json'], ['x-request-id', 'prov-1']],
    body: JSON.stringify({
      model: 'gpt-4o-2024-08-06', choices: [{ finish_reason: 'stop', message: { content: 'canary-answer' } }],
      usage: { prompt_tokens: 1_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 400 } },
    }),
  }));
});
after(async () => {
  await system?.stop();
  collector.close();
});

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

async function call(headers: Readonly<Record<string, string>> = {}, body = 'canary-question'): Promise<string> {
  const answer = await fetch(`${system.gatewayUrl}/v1/chat/completions`, {
    method: 'POST', body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: body }] }),
    headers: { authorization: `Bearer ${key}`, 'x-svc-label': 'canary-label', ...headers },
  });
  assert.equal(answer.status, 200);
  await answer.text();
  return answer.headers.get('x-svc-request-id')!;
}

/** The span of a call, once it has arrived. */
async function spanOf(id: string): Promise<Span> {
  const deadlineMs = performance.now() + 20_000;
  for (;;) {
    const found = spans().find((span) => valueOf(span, 'metergate.request.id') === id);
    if (found !== undefined) return found;
    assert.ok(performance.now() < deadlineMs, 'no span came');
    await new Promise((next) => setTimeout(next, 20));
  }
}

function spans(): Span[] {
  return heard.flatMap(({ body }) => (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] })
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
}

function valueOf({ attributes }: Span, name: string): unknown {
  return Object.values(attributes.find(({ key: named }) => named === name)?.value ?? {})[0];
}

test('a call is one span under its caller\'s, with what the conventions have a name for; the traceparent arrives as it was sent', async () => {
  const id = await call({ traceparent: parent, tracestate: 'vendor=1' });
  const span = await spanOf(id);
  assert.deepEqual([span.traceId, span.parentSpanId], ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']);
  assert.match(span.spanId, /^(?!0{16})[0-9a-f]{16}$/);
  assert.deepEqual([span.name, span.kind, span.status], ['chat gpt-4o-2024-08-06', 3, {}]);
  const [record] = await system.calls({ count: 1 });
  assert.equal(BigInt(span.startTimeUnixNano) / 1_000_000n, BigInt(Date.parse(record!.startedAt)));
  assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano));
  const shown = Object.fromEntries(span.attributes.map(({ key: name }) => [name, valueOf(span, name)]));
  const expected = {
    'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai',
    'server.address': new URL(system.openai.url).hostname, 'server.port': new URL(system.openai.url).port,
    'gen_ai.response.model': 'gpt-4o-2024-08-06', 'gen_ai.usage.input_tokens': '1000', 'gen_ai.usage.output_tokens': '10',
    'gen_ai.usage.cache_read.input_tokens': '400', 'http.request.method': 'POST', 'http.response.status_code': '200',
    'metergate.key.id': record!.key, 'metergate.organization.id': record!.organization, 'metergate.cost.usd': Number(record!.cost),
    'metergate.outcome': 'completed', 'metergate.provider.request_id': 'prov-1',
  };
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(shown[name], value, name);
  const { headers } = system.openai.requests.at(-1)!;
  const sent = (name: string): string[] => headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
  assert.deepEqual([sent('traceparent'), sent('tracestate')], [[parent], ['vendor=1']]);
});

test('a caller that is not sampled gets no span; one without a trace gets a new trace', async () => {
  const unsampled = await call({ traceparent: parent.replace(/01$/, '00') });
  const own = await spanOf(await call());
  assert.deepEqual([own.parentSpanId, /^[0-9a-f]{32}$/.test(own.traceId)], [undefined, true]);
  assert.ok(!spans().some((span) => valueOf(span, 'metergate.request.id') === unsampled));
});

test('the collector gets its own header and the service\'s name, and never content, a key, a path, a label or a project', async () => {
  await spanOf(await call());
  const said = heard.map(({ body }) => body).join('\n');
  assert.match(said, /"service\.name","value":\{"stringValue":"the-gateway"\}/);
  assert.ok(heard.every(({ headers }) => headers.authorization === 'Bearer collector-secret' && headers['content-type'] === 'application/json'));
  for (const word of ['canary', key, 'sk-testkit', '/v1/', 'collector-secret']) assert.ok(!said.includes(word), word);
});

test('a collector that is away costs calls nothing; that is logged once, and waiting spans arrive when it is back', async () => {
  status = 503;
  const id = await call();
  const deadlineMs = performance.now() + 20_000;
  while (!system.stderr().includes('Traces do not reach the collector')) {
    assert.ok(performance.now() < deadlineMs, system.stderr());
    await call();
  }
  status = 200;
  await spanOf(id);
  assert.equal(system.stderr().split('Traces do not reach').length, 2);
  assert.doesNotMatch(system.stderr(), /collector-secret/);
  const metrics = await (await fetch(`${system.opsUrl}/metrics`)).text();
  assert.match(metrics, /^metergate_spans_total\{result="sent"\} [1-9]/m);
});
