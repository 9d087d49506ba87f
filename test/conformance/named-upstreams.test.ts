/**
 * Upstreams that an organization declared by name, end to end: what each side receives, byte for byte but for the credential, where a service key
 * may stand and where it never arrives, and that an organization which declared none sees no path at all. Decision 150.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawCall, type RawCall } from '@metergate/testkit/raw-client.ts';
import { headerValue } from '@metergate/testkit/http-message.ts';
import { assertRefusal, requestIdOf } from '../running-product.ts';
import { sharedProduct } from '../limits/tenant.ts';

const product = sharedProduct();
const secret = 'provider-secret-0001';

async function declared(name: string, options: readonly string[] = [], path = '') {
  const { system } = product;
  const tenant = await product.tenant();
  const args = ['--org', tenant.id, '--name', name];
  const declaration = await system.cli(['upstream', 'declare', ...args, '--url', system.upstream.url + path, ...options, '--json'], secret);
  assert.equal(declaration.code, 0, declaration.stderr);
  assert.equal((await system.cli(['upstream', 'enable', ...args, '--json'])).code, 0);
  const count = system.upstream.requests.length;
  const call = (request: RawCall) => rawCall(system.gatewayUrl, request);
  return { ...tenant, call, received: () => system.upstream.requests.slice(count) };
}

test('The credential goes out in its own header, the service key nowhere, and every other byte as it came', async () => {
  const { system } = product;
  system.upstream.respond({ headers: [['content-type', 'application/json']], body: '{"ok":true}' });
  const places = (key: string): [auth: string, header: [string, string][], query: string][] => [
    ['bearer', [['authorization', `Bearer ${key}`]], ''], ['api-key', [['api-key', key]], ''], ['x-api-key', [['x-api-key', key]], ''],
    ['x-goog-api-key', [['x-goog-api-key', key]], ''], ['x-goog-api-key', [], `&key=${key}`], ['none', [['api-key', key]], `&key=${key}`],
  ];
  for (const [index, [auth]] of places('').entries()) {
    const upstream = await declared('some-1', ['--auth', auth], '/base');
    const [, headers, query] = places(upstream.key)[index]!;
    const body = '{"model":"m",  "stream" : true}';
    const answer = await upstream.call({
      method: 'POST', target: `/upstreams/some-1//a%2Fb/v1beta/x:y?z=%20${query}&w`,
      headers: [['x-other', 'kept'], ...headers, ['x-svc-tags', 'a']], body,
    });
    assert.deepEqual([answer.status, answer.body.toString()], [200, '{"ok":true}']);
    const [received, ...more] = upstream.received();
    assert.equal(more.length, 0);
    assert.equal(received!.target, '/base//a%2Fb/v1beta/x:y?z=%20&w');
    assert.equal(received!.body.toString(), body);
    const shown = { bearer: ['authorization', `Bearer ${secret}`], none: [] }[auth] ?? [auth, secret];
    const pairs = received!.headers.filter(([name]) => !/^(?:host|connection|content-length)$/i.test(name)).flat();
    assert.deepEqual(pairs, ['x-other', 'kept', ...shown]);
    assert.ok(!JSON.stringify(received).includes('svc_live_'));
    const record = (await system.callsById([requestIdOf(answer)], upstream.id)).get(requestIdOf(answer))!;
    assert.deepEqual([record.wire, record.upstream, record.path, record.status],
      ['upstream', 'some-1', '/upstreams/some-1//a%2Fb/v1beta/x:y', 200]);
  }
  assert.ok(!system.stderr().includes('svc_live_') && !system.stdout().includes('svc_live_'));
});

test('Whoever declared none has no such path: 404 with a key and without one, and nothing is forwarded', async () => {
  const { system } = product;
  const upstream = await declared('mine');
  const stranger = await product.tenant();
  const unknown = (path: string, undeclared?: string) => ({
    status: 404, code: 'unknown_url', type: 'invalid_request_error', message: `Unknown request URL: POST ${path}.${undeclared === undefined ? ''
      : ` This organization has not declared an upstream named "${undeclared}"; an admin can declare one, and enable it.`}`,
  });
  const bearer = (key: string): [string, string] => ['authorization', `Bearer ${key}`];
  for (const [headers, path, undeclared] of [
    [[bearer(stranger.key)], '/upstreams/mine/v1/chat/completions'],
    [[bearer(upstream.key)], '/upstreams/theirs/v1/chat/completions', 'theirs'],
    [[], '/upstreams/mine/v1/chat/completions'], [[bearer(upstream.key)], '/upstreams/mine/../mine/x'], [[bearer(upstream.key)], '/upstreams/mine'],
  ] as const) assertRefusal(await upstream.call({ method: 'POST', target: path, headers, body: '{}' }), unknown(path, undeclared));
  assertRefusal(await upstream.call({ method: 'POST', target: '/upstreams/mine/x', headers: [['x-goog-api-key', 'AIza']], body: '{}' }),
    { status: 401, code: 'invalid_api_key', type: 'invalid_request_error', message: 'Invalid API key.' });
  const disabled = await product.tenant();
  await system.cli(['upstream', 'declare', '--org', disabled.id, '--name', 'mine', '--url', system.upstream.url, '--json'], secret);
  assertRefusal(await upstream.call({ method: 'POST', target: '/upstreams/mine/x', headers: [['x-goog-api-key', disabled.key]], body: '{}' }), {
    status: 400, code: 'upstream_not_enabled', type: 'invalid_request_error',
    message: 'This organization\'s upstream "mine" is not enabled. Enable it before sending traffic to /upstreams/mine.',
  });
  assert.deepEqual(upstream.received(), []);
});

test('An offer of a WebSocket is answered as the same request without it; only who may use the name learns that there is none', async () => {
  const upstream = await declared('socket');
  const stranger = await product.tenant();
  const disabled = await product.tenant();
  await product.system.cli(['upstream', 'declare', '--org', disabled.id, '--name', 'socket', '--url', product.system.upstream.url, '--json'], secret);
  const offer: [string, string][] = [
    ['connection', 'Upgrade'], ['upgrade', 'websocket'], ['sec-websocket-version', '13'], ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ];
  const keyed = (key: string): [string, string][] => [['x-goog-api-key', key]];
  for (const [headers, name, status] of [
    [[], 'socket', 404], [keyed(stranger.key), 'socket', 404], [keyed(upstream.key), 'theirs', 404], [keyed('AIza'), 'socket', 401],
    [keyed(disabled.key), 'socket', 400],
  ] as const) {
    const target = `/upstreams/${name}/v1/live`;
    const [plain, offered] = [await upstream.call({ method: 'GET', target, headers }), await upstream.call({
      method: 'GET', target, headers: [...headers, ...offer] })];
    assert.deepEqual([offered.status, offered.body.toString()], [plain.status, plain.body.toString()], `${target} ${status}`);
    assert.equal(plain.status, status);
  }
  const spoken = await upstream.call({ method: 'GET', target: '/upstreams/socket/v1/live', headers: [...keyed(upstream.key), ...offer] });
  assert.deepEqual([spoken.status, JSON.parse(spoken.body.toString()).error.code], [426, 'upgrade_not_supported']);
  assert.deepEqual(upstream.received(), []);
});

test('Several have each their own destination, credential and prices, named where they are shown', async () => {
  const { system } = product;
  const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
  const chat = JSON.stringify({ model: 'llama-3.3-70b-versatile', choices: [{ finish_reason: 'stop' }], usage });
  system.upstream.respond({ headers: [['content-type', 'application/json']], body: chat });
  const upstream = await declared('groq', ['--provider', 'groq']);
  const local = ['--name', 'local', '--url', system.openai.url, '--auth', 'none'];
  const other = await system.cli(['upstream', 'declare', '--org', upstream.id, ...local, '--json']);
  assert.equal(other.code, 0, other.stderr);
  const listed = (await system.cli(['upstream', 'list', '--org', upstream.id, '--json'])).json() as { name: string; pricedAs: string | null }[];
  assert.deepEqual(listed.map(({ name, pricedAs }) => [name, pricedAs]), [['groq', 'groq'], ['local', null]]);
  const answer = await upstream.call({
    method: 'POST', target: '/upstreams/groq/openai/v1/chat/completions', headers: [['authorization', `Bearer ${upstream.key}`]], body: '{}',
  });
  const id = requestIdOf(answer);
  const record = (await system.callsById([id], upstream.id)).get(id)!;
  assert.deepEqual([record.endpoint, record.usage, record.inputTokens, record.outputTokens, record.costSource],
    ['chat.completions', 'reported', 1_000, 100, 'priced']);
  assert.equal(headerValue(upstream.received()[0]!.headers, 'authorization'), `Bearer ${secret}`);
  const shown = (await system.cli(['calls', 'show', id, '--json'])).json() as { upstream: string; cost: string };
  assert.deepEqual([shown.upstream, shown.cost], ['groq', record.cost]);
  const nobody = ['--name', 'x', '--url', system.upstream.url, '--provider', 'nobody'];
  const refused = await system.cli(['upstream', 'declare', '--org', upstream.id, ...nobody], 'x');
  assert.equal(refused.code, 1);
});
