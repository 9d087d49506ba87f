/**
 * Models that an organization or a key does not allow, from outside, through both readers of requests and on a WebSocket: refused with 403,
 * nothing forwarded, nothing recorded, counted among the refusals. No disguise passes. Rule 6g.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { eventually } from '@metergate/testkit/eventually.ts';
import OpenAI, { toFile } from 'openai';
import { showRefusals } from '@metergate/platform/use-cases/refusals.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { setServiceKey } from '@metergate/platform/use-cases/service-keys.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { openCaller } from '@metergate/testkit/websocket/peer.ts';
import { startRespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { closeOf, frameOf } from '@metergate/testkit/websocket/wire.ts';
import { startSystem } from '@metergate/testkit/system.ts';
import { bearer } from '../running-product.ts';
import { productForFile, type Tenant } from './tenant.ts';

const product = productForFile({ env: { SVC_UPSTREAM_ALLOW: '127.0.0.0/8' } });
const providers = () => [product.system.openai, product.system.anthropic, product.system.upstream];
const heard = (): number[] => providers().flatMap(({ requests, connections }) => [requests.length, connections]);

interface Asked { readonly target?: string; readonly body: string | Buffer; readonly headers?: readonly HeaderPair[]; readonly key?: string }

/** Sent whole, which is read without Node's server, and in pieces, which Node reads. */
async function both(tenant: Tenant, { target = '/v1/chat/completions', body, headers = [], key = tenant.key }: Asked) {
  const content = Buffer.from(body);
  const half = content.length >> 1;
  const common = { method: 'POST', target, headers: [bearer(key), ...headers] };
  const chunks = [content.subarray(0, half), content.subarray(half)].filter(({ length }) => length > 0);
  const answers = [
    await rawCall(product.system.gatewayUrl, { ...common, body: content }),
    await rawCall(product.system.gatewayUrl, { ...common, chunks }),
  ];
  tenant.answered += answers.filter(({ status }) => status === 200).length;
  return answers.map(({ status, body: answer }) => {
    if (status === 200) return '200';
    const { code, message } = (JSON.parse(answer.toString()) as { error: { code: string; message: string } }).error;
    return `${status} ${code} ${message}`;
  });
}

async function tenantWith(models: readonly string[]): Promise<Tenant> {
  const tenant = await product.tenant({ models });
  await product.system.declareUpstream({ organization: tenant.id });
  for (const provider of providers()) provider.respond(() => ({ headers: [['content-type', 'application/json']], body: '{"id":"x","object":"x"}' }));
  await tenant.until(({ status }) => status === 403, { target: '/upstream/v1/models/never-this:generate' });
  return tenant;
}

async function records(tenant: Tenant) {
  return eventually(async () => {
    const found = await keptCalls(product.store, tenant.id as never);
    return found.length >= tenant.answered && found;
  }, () => `not ${tenant.answered} records`);
}

async function refusals(tenant: Tenant): Promise<number> {
  const nowMs = Date.now();
  const shown = await showRefusals(product.context(), { organization: tenant.id, sinceMs: nowMs - 7_200_000, untilMs: nowMs + 3_600_000 });
  assert.ok(!isRefusal(shown));
  return shown.byCode.find(({ code }) => code === 'model_not_allowed')?.refusals ?? 0;
}

const form = (...fields: readonly (readonly [string, string])[]): Pick<Asked, 'body' | 'headers'> => ({
  headers: [['content-type', 'multipart/form-data; boundary=BB']],
  body: `${fields.map(([name, value]) => `--BB\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--BB--\r\n`,
});

test('what the list allows passes byte for byte; every disguise of another model is refused and nothing leaves', { timeout: 120_000 }, async () => {
  const tenant = await tenantWith(['gpt-5*', 'claude-*']);
  const allowed: readonly Asked[] = [
    { body: '{"model":"gpt-5"}' }, { body: '{"messages":[],"model":"gpt-5.2-mini"}' }, { body: '{"model":"gpt-5","model":"gpt-5.1"}' },
    { target: '/v1/messages', body: '{"model":"claude-opus-4"}' },
    { target: '/v1/audio/transcriptions', ...form(['model', 'gpt-5-audio'], ['x', 'y']) },
    { target: '/upstream/v1/models/gpt-5:generateContent', body: '{"contents":[]}' }, { target: '/v1/responses/r_1/cancel', body: '' },
    { body: `{"model":"gpt-5","input":"${'x'.repeat(100_000)}"}` },
  ];
  for (const each of allowed) {
    const before = providers().map(({ requests }) => requests.length);
    assert.deepEqual(await both(tenant, each), ['200', '200'], String(each.body).slice(0, 80));
    const arrived = providers().flatMap(({ requests }, index) => requests.slice(before[index]));
    assert.deepEqual(arrived.map(({ body }) => body.toString()), [String(each.body), String(each.body)]);
  }
  const { status } = await rawCall(product.system.gatewayUrl, { method: 'GET', target: '/v1/models/o3', headers: [bearer(tenant.key)] });
  assert.equal(status, 200);
  tenant.answered += 1;

  const before = heard();
  const named: readonly Asked[] = [
    { body: '{"model":"o3"}' }, { body: '{"model":"GPT-5"}' }, { body: '{"model":" gpt-5"}' }, { body: '{"model":"o3","model":"gpt-5"}' },
    { body: '{"model":"gpt-5","model":"o3"}' }, { body: '{"model":"gpt-5","\\u006dodel":"o3"}' }, { body: '{"model":"\\u006f3"}' },
    { target: '/v1/chat/completion%73', body: '{"model":"o3"}' }, { target: '/v1/messages', body: '{"model":"o3"}' },
    { target: '/v1/images/edits', ...form(['model', 'gpt-5'], ['model', 'dall-e-2']) },
    { target: '/upstream/v1/models/o3:generateContent', body: '{"model":"gpt-5"}' },
    { target: '/upstream/v1/mod%65ls/o3%3AgenerateContent', body: '{"model":"gpt-5"}' },
    { target: '/upstream/v1/openai/Deployments/o3/chat/completions', body: '{"model":"gpt-5"}' },
    { target: '/v1/responses?model=o3', body: '{"model":"gpt-5"}' }, { body: `{"input":"${'x'.repeat(100_000)}","model":"o3"}` },
  ];
  for (const each of named) {
    const expected = /^403 model_not_allowed This organization does not allow the model/;
    for (const said of await both(tenant, each)) assert.match(said, expected, String(each.body));
  }
  const unread: readonly Asked[] = [
    { body: '{"messages":[]}' }, { body: '{"Model":"gpt-5"}' }, { body: '{"model":"gpt-5","models":["o3"]}' },
    { body: '{"model":"gpt-5"}{"model":"o3"}' },
    { body: gzipSync('{"model":"gpt-5"}'), headers: [['content-encoding', 'gzip']] }, { body: 'model=gpt-5' },
    { target: '/v1/files', ...form(['purpose', 'batch']) }, { target: '/v1/audio/transcriptions', ...form(['model', 'gpt-5'], ['Model', 'o3']) },
    { target: '/v1/messages/batches', body: '{"requests":[{"params":{"model":"claude-opus-4"}}]}' },
  ];
  for (const each of unread) {
    for (const said of await both(tenant, each)) assert.match(said, /^403 model_not_allowed .* no model could be read/, String(each.body));
  }
  const long = Buffer.alloc(32 * 1024 * 1024 + 65_536, ' ');
  long.write('{"model":"gpt-5"}');
  const over = await rawCall(product.system.gatewayUrl, { method: 'POST', target: '/v1/responses', headers: [bearer(tenant.key)], chunks: [long] });
  assert.match(over.body.toString(), /no model could be read/);
  assert.deepEqual(heard(), before, 'no connection, no request');
  assert.equal((await records(tenant)).length, tenant.answered);
  const wanted = 1 + 2 * (named.length + unread.length) + 1;
  await eventually(async () => await refusals(tenant) === wanted, () => `not ${wanted} refusals`);
});

test('a key may allow less than its organization, never more; it goes before the rate limit and caps that are reached', async () => {
  const tenant = await tenantWith(['gpt-5*']);
  const { id, key } = await tenant.newKey();
  const set = await setServiceKey(product.context(), { id, within: null }, { models: ['gpt-5-mini', 'o3'] });
  assert.ok(!isRefusal(set));
  assert.deepEqual(set.models, ['gpt-5-mini', 'o3']);
  await tenant.until(({ status, body }) => status === 403 && /This API key/.test(body.toString()), { key, target: '/upstream/v1/models/gpt-5:x' });
  assert.deepEqual(await both(tenant, { key, body: '{"model":"gpt-5-mini"}' }), ['200', '200']);
  const byKey = /^403 model_not_allowed This API key does not allow the model gpt-5;/;
  for (const said of await both(tenant, { key, body: '{"model":"gpt-5"}' })) assert.match(said, byKey);
  for (const said of await both(tenant, { key, body: '{"model":"o3"}' })) assert.match(said, /^403 model_not_allowed This organization/);
  assert.deepEqual(await both(tenant, { body: '{"model":"gpt-5"}' }), ['200', '200']);
  await tenant.cap({ scope: 'organization', window: 'day', limit: '0' });
  await tenant.until(({ status }) => status === 402, { target: '/v1/responses' });
  for (const said of await both(tenant, { target: '/upstream/v1/models/o3:generate', body: '{}' })) assert.match(said, /^403 model_not_allowed/);
  await tenant.set({ models: null });
  await tenant.until(({ status }) => status === 402, { target: '/upstream/v1/models/never-this:generate' });
});

test('on a named upstream the path names the model, as Google, Azure and Bedrock have it', async () => {
  const tenant = await tenantWith(['gemini-*', 'gpt-5']);
  const { system } = product;
  const args = ['--org', tenant.id, '--name', 'models'];
  const declaration = await system.cli(['upstream', 'declare', ...args, '--url', system.upstream.url, '--json'], 'secret');
  assert.equal(declaration.code, 0, declaration.stderr);
  assert.equal((await system.cli(['upstream', 'enable', ...args, '--json'])).code, 0);
  const at = (path: string): string => `/upstreams/models${path}`;
  const statusOf = async (target: string, body: string): Promise<number> =>
    (await rawCall(system.gatewayUrl, { method: 'POST', target: at(target), headers: [bearer(tenant.key)], body })).status;
  // What it sends names a model that is not allowed.
  await tenant.until(({ status }) => status === 403, { target: at('/v1beta/models/gemini-3:generateContent') });
  const before = system.upstream.requests.length;
  for (const [target, body, status] of [
    ['/v1beta/models/gemini-3:streamGenerateContent?alt=sse', '{"contents":[]}', 200],
    ['/v1beta/models/text-embedding-004:embedContent', '{}', 403],
    ['/v1beta/cachedContents', '{"model":"models/gemini-3"}', 200], ['/v1beta/cachedContents', '{"model":"models/other"}', 403],
    ['/openai/deployments/gpt-5/chat/completions?api-version=1', '{}', 200], ['/openai/deployments/o3/chat/completions?api-version=1', '{}', 403],
    ['/model/anthropic.claude-v2%3A0/invoke', '{}', 403], ['/v1/projects/p/locations/l/publishers/google/models/o3:rawPredict', '{}', 403],
    ['/api/chat', '{"model":"gpt-5"}', 200], ['/api/chat', '{"model":"gpt-5","Model":"o3"}', 403],
  ] as const) assert.equal(await statusOf(target, body), status, `${target} ${body}`);
  assert.equal(system.upstream.requests.length, before + 4);
});

test('the OpenAI SDK uploads sound with an allowed model, and shows the refusal of another', async () => {
  const tenant = await tenantWith(['whisper-*']);
  const client = new OpenAI({ apiKey: tenant.key, baseURL: `${product.system.gatewayUrl}/v1`, maxRetries: 0 });
  const file = await toFile(Buffer.from('RIFF'), 'größe.wav');
  product.system.openai.respond({ headers: [['content-type', 'application/json']], body: '{"text":"hello"}' });
  assert.equal((await client.audio.transcriptions.create({ model: 'whisper-1', file })).text, 'hello');
  await assert.rejects(client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file }), (error: unknown) => {
    assert.ok(error instanceof OpenAI.PermissionDeniedError);
    return error.code === 'model_not_allowed' && /does not allow the model gpt-4o-transcribe/.test(error.message);
  });
});

test('on a WebSocket each create is judged by its own model, and the connection goes on', { timeout: 120_000 }, async (t) => {
  const provider = await startRespondingProvider();
  const system = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
  t.after(async () => {
    await system.stop();
    await provider.close();
  });
  const set = await system.cli(['org', 'set', 'default', '--models', 'gpt-5*', '--json']);
  assert.equal(set.code, 0, set.stderr);
  const { key } = await system.createKey();
  const caller = await openCaller(system.gatewayUrl, { key });
  const mask = Buffer.from([1, 2, 3, 4]);
  const ended = (): number => caller.events.filter(({ type }) => type === 'error' || type === 'response.completed').length;
  const asked = ['{"type":"response.create","model":"gpt-5.2"}', '{"type":"response.create","model":"o3"}',
    '{"type":"response.create","model":"gpt-5.2","model":"o3"}', '{"type":"response.create","input":"x"}',
    '{"type":"response.create","model":"gpt-5"}'];
  for (const [index, text] of asked.entries()) {
    caller.send(frameOf(text, { mask }));
    await caller.until(() => ended() === index + 1);
  }
  assert.deepEqual(caller.events.filter(({ type }) => type === 'error').map(({ status, error }) => [status, error?.code]),
    [[403, 'model_not_allowed'], [403, 'model_not_allowed'], [403, 'model_not_allowed']]);
  assert.equal(provider.begun.length, 2);
  caller.send(closeOf(1000, '', mask));
  await caller.ended();
});
