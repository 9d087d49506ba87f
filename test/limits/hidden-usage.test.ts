/**
 * Calls whose caller asks for an answer without its usage, from outside: at an upstream that does as Google's platform and the open format do.
 * Allowed, they pass every cap; refused under limits, none leaves, on any wire and through both readers of requests. Rule 6c.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { untoldCallsMax } from '@metergate/core/record/untold-calls.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { bearer } from '../running-product.ts';
import { productForFile, type Tenant } from './tenant.ts';

const product = productForFile({ env: { SVC_UPSTREAM_ALLOW: '127.0.0.0/8' } });

interface Call { readonly target: string; readonly body?: string | Buffer; readonly headers?: readonly HeaderPair[]; readonly method?: string }

const gemini = '/upstreams/google/v1beta/models/gemini-2.5-pro:generateContent';
const whole: Readonly<Record<string, unknown>> = {
  candidates: [{ content: { parts: [{ text: 'hello' }] }, finishReason: 'STOP' }], modelVersion: 'gemini-2.5-pro',
  usageMetadata: { promptTokenCount: 100_000, candidatesTokenCount: 5_000, totalTokenCount: 105_000 },
};

/** Of the whole answer, what `fields` or the mask names; a stream in OpenAI's format with usage if it is asked for. */
function answered({ target, headers, body: asked }: ReceivedRequest): ScriptedAnswer {
  const { searchParams } = new URL(target, 'http://provider');
  const mask = searchParams.get('fields') ?? headers.find(([name]) => name.toLowerCase() === 'x-goog-fieldmask')?.[1];
  if (target.includes('generateContent')) {
    const fields = typeof mask === 'string' ? mask.split(',') : Object.keys(whole);
    const body = JSON.stringify(Object.fromEntries(fields.map((name) => [name, whole[name]])));
    return { headers: [['content-type', 'application/json']], body };
  }
  if (target.endsWith('/batches')) return { headers: [['content-type', 'application/json']], body: '{"id":"batch_1"}' };
  const tells = asked.includes('"include_usage":true') || !asked.includes('"stream":true');
  const usage = tells ? 'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}\n\n' : '';
  return { headers: [['content-type', 'text/event-stream']], body: `data: {"id":"c","choices":[]}\n\n${usage}data: [DONE]\n\n` };
}

/** Batches tell when a cap binds, and are not counted as answers that tell nothing. */
const underLimits = { deferred: 'refuse-under-limits', hidden: 'refuse-under-limits' } as const;
const streams = ['{"model":"m","stream":true,"stream_options":{}}', '{"model":"m","stream":true,"stream_options":{"include_usage":false}}',
  '{"model":"m","stream":true,"stream_options":null}'];
const gzip: readonly HeaderPair[] = [['content-encoding', 'gzip']];
const hiding: readonly Call[] = [
  ...['fields=candidates', '$fields=candidates', '%24fields=candidates', 'fie%6cds=candidates', 'alt=proto', '$alt=media', 'callback=f']
    .map((query) => ({ target: `${gemini}?${query}` })),
  { target: gemini, headers: [['X-Goog-FieldMask', 'candidates']] },
  { target: gemini, headers: [['accept', 'application/x-protobuf']] },
  { target: gemini, method: 'GET', headers: [['x-http-method-override', 'POST']] },
  { target: '/upstream/v1/models/gemini-2.5-pro:generateContent?fields=candidates' },
  ...['/v1/chat/completions', '/v1/completions', '/upstream/v1/chat/completions', '/upstream/v1/completions', '/upstreams/google/v1/chat/completions']
    .flatMap((target) => [...streams.map((body) => ({ target, body })), { target, body: gzipSync(streams[0]!), headers: gzip }]),
  // Nothing is inserted in these.
  ...['/v1/completions', '/upstream/v1/chat/completions', '/upstreams/google/v1/chat/completions', '/upstreams/google/v1beta/openai/chat/completions']
    .map((target) => ({ target, body: '{"model":"m","stream":true}' })),
];
const reporting: readonly Call[] = [
  { target: gemini }, { target: `${gemini}?alt=json&prettyPrint=false` }, { target: `${gemini}?$alt=json;enum-encoding=int` },
  { target: '/v1/chat/completions', body: '{"model":"m","stream":true}' },
  ...['/v1/chat/completions', '/v1/completions', '/upstream/v1/chat/completions', '/upstreams/google/v1/chat/completions'].flatMap((target) =>
    ['{"model":"m","stream":true,"stream_options":{"include_usage":true}}', '{"model":"m"}'].map((body) => ({ target, body }))),
  { target: '/upstreams/google/v1beta/models?fields=models', method: 'GET' },
];

async function tenantWith(settings: Parameters<typeof product.tenant>[0]): Promise<Tenant> {
  const tenant = await product.tenant(settings);
  const { system } = product;
  await system.declareUpstream({ organization: tenant.id });
  for (const provider of [system.openai, system.upstream]) provider.respond(answered);
  const args = ['--org', tenant.id, '--name', 'google'];
  const declared = await system.cli(['upstream', 'declare', ...args, '--url', system.upstream.url, '--provider', 'google', '--json'], 'secret');
  assert.equal(declared.code, 0, declared.stderr);
  assert.equal((await system.cli(['upstream', 'enable', ...args, '--json'])).code, 0);
  await tenant.until(({ status }) => status === 200, { target: '/upstreams/google/v1/files', method: 'GET' });
  return tenant;
}

/** Each with its length, read without Node's server, and in chunks, which Node reads. */
async function send(tenant: Tenant, { target, body = '{"contents":[]}', headers = [], method = 'POST' }: Call, chunked: boolean): Promise<RawAnswer> {
  const content = Buffer.from(body);
  const framed = method === 'GET' ? {} : chunked ? { chunks: [content.subarray(0, 9), content.subarray(9)] } : { body: content };
  return rawCall(product.system.gatewayUrl, { method, target, headers: [bearer(tenant.key), ...headers], ...framed });
}

const heard = (): number => product.system.openai.requests.length + product.system.upstream.requests.length;

test('under a cap, none of the calls that hide their usage leaves, and what reports goes on', async () => {
  const tenant = await tenantWith({ unmetered: underLimits });
  assert.equal((await send(tenant, hiding[0]!, false)).status, 200, 'nothing binds it yet');
  await tenant.cap({ scope: 'organization', window: 'month', limit: '1000000' });
  await tenant.until(({ status }) => status === 403, { target: '/v1/batches' });
  const before = heard();
  for (const call of hiding) {
    for (const chunked of [false, true]) {
      const { status, body } = await send(tenant, call, chunked);
      const said = `${call.target} ${String(body)}`;
      assert.equal(status, 403, said);
      assert.match(said, /unmetered_work_refused/);
      assert.match(said, /an answer without their usage|could not be read/);
    }
  }
  assert.equal(heard(), before, 'nothing left');
  for (const call of reporting) {
    for (const chunked of [false, true]) {
      const { status, body } = await send(tenant, call, chunked);
      assert.equal(status, 200, `${call.target} ${String(call.body)} ${String(body)}`);
    }
  }
});

test('refused under limits, the cap is reached by calls that report, and no call that hides its usage passes before or after', async () => {
  const tenant = await tenantWith({ unmetered: underLimits });
  await tenant.cap({ scope: 'organization', window: 'day', limit: '0.10' });
  await tenant.until(({ status }) => status === 403, { target: '/v1/batches' });
  assert.equal((await send(tenant, { target: gemini }, false)).status, 200);
  await tenant.until(({ status }) => status === 402, { target: '/upstreams/google/v1/files', method: 'GET' });
  assert.equal((await send(tenant, hiding[0]!, false)).status, 403);
});

test('what nobody listed hides usage of twenty calls of a key in an hour, and no more', async () => {
  const tenant = await tenantWith({ unmetered: underLimits });
  await tenant.cap({ scope: 'organization', window: 'month', limit: '1000000' });
  await tenant.until(({ status }) => status === 403, { target: '/v1/batches' });
  product.system.upstream.respond(() => ({ headers: [['content-type', 'application/json']], body: '{"candidates":[]}' }));
  const unlisted = { target: `${gemini}?shape=small` };
  let answer = await send(tenant, unlisted, false);
  let passed = 0;
  for (; answer.status === 200 && passed < 60; passed += 1) answer = await send(tenant, unlisted, false);
  // An hour may end meanwhile; a call is counted just after its answer.
  assert.ok(passed >= untoldCallsMax && passed < 60, String(passed));
  assert.equal(answer.status, 403);
  assert.match(String(answer.body), /unmetered_work_refused/);
  assert.match(String(answer.body), /20 answers to this API key, or to its person's keys, reported no usage in this hour/);
  assert.equal((await send(tenant, { target: '/upstreams/google/v1/files', method: 'GET' }, false)).status, 200, 'what is not metered goes on');
  const other = await tenant.newKey();
  await tenant.until(({ status }) => status === 200, { key: other.key, target: gemini });
});

test('allowed, as it is by default, the same calls leave as they came', async () => {
  const tenant = await tenantWith({});
  await tenant.cap({ scope: 'organization', window: 'day', limit: '1000000' });
  for (const call of hiding) assert.equal((await send(tenant, call, false)).status, 200, call.target);
});
