/**
 * Spans of calls at a collector: they are sent in OTLP's JSON form, a caller's `traceparent` is the parent and is forwarded unchanged, and
 * nothing ever waits for a collector.
 */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { eventually } from '@metergate/testkit/eventually.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { openCaller } from '@metergate/testkit/websocket/peer.ts';
import { startRespondingProvider, type RespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { closeOf, frameOf } from '@metergate/testkit/websocket/wire.ts';
import { wholeMetrics } from '@metergate/testkit/whole-metrics.ts';

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

const mask = Buffer.from([1, 2, 3, 4]);
let provider: RespondingProvider;
let system: System;
let key: string;

before(async () => {
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  const { port } = collector.address() as AddressInfo;
  system = await startSystem({ env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip', OTEL_SERVICE_NAME: 'the-gateway',
  } });
  provider = await startRespondingProvider();
  await system.declareUpstream({ url: provider.url });
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
  await provider?.close();
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
  return eventually(() => spans().find((span) => valueOf(span, 'metergate.request.id') === id), () => 'no span came');
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

test('each response on a WebSocket connection is a span under the connection\'s, in the caller\'s trace or in a new one', async () => {
  for (const headers of [[`traceparent: ${parent}`], []]) {
    const caller = await openCaller(`${system.gatewayUrl}`, { key, path: '/upstream/v1/responses', headers });
    for (let turns = 1; turns <= 2; turns += 1) {
      caller.send(frameOf(JSON.stringify({ type: 'response.create', model: 'gpt-5.2', input: 'canary-question' }), { mask }));
      await caller.until(() => caller.events.filter(({ type }) => type === 'response.completed').length === turns);
    }
    caller.send(closeOf(1000, '', mask));
    await caller.ended();
    const own = await spanOf(/^x-svc-request-id: (\S+)\r$/im.exec(caller.head)![1]!);
    const under = spans().filter(({ parentSpanId }) => parentSpanId === own.spanId);
    assert.deepEqual(under.map(({ name }) => name), ['chat gpt-5.2-2025-12-11', 'chat gpt-5.2-2025-12-11']);
    assert.deepEqual(new Set(under.map(({ traceId }) => traceId)), new Set([own.traceId]));
    assert.equal(new Set([own, ...under].map(({ spanId }) => spanId)).size, 3);
    const trace = headers.length === 0 ? undefined : ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    assert.deepEqual([own.parentSpanId, own.traceId === trace?.[0]], [trace?.[1], trace !== undefined]);
    assert.deepEqual([valueOf(own, 'metergate.transport'), valueOf(under[0]!, 'metergate.connection.id')],
      ['websocket', valueOf(own, 'metergate.request.id')]);
  }
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
  await eventually(async () => {
    await call();
    return system.stderr().includes('Traces do not reach the collector');
  }, system.stderr);
  status = 200;
  await spanOf(id);
  assert.equal(system.stderr().split('Traces do not reach').length, 2);
  assert.doesNotMatch(system.stderr(), /collector-secret/);
  assert.match(await wholeMetrics(system), /^metergate_spans_total\{result="sent"\} [1-9]/m);
});
