/**
 * Spec, Errors 400 (declared upstream), 401, 404 and 502: the row to the letter, both ids, and what must not have happened:
 * no connection to any destination, no call record (only a 502 leaves one).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { RawConnection, rawCall, requestBytes, type RawAnswer, type RawCall } from '@metergate/testkit/raw-client.ts';
import { assertRefusal, bearer, requestIdOf, serviceForFile } from '../running-product.ts';

/** An address where nobody listens. */
const closedUrl = 'http://127.0.0.1:9';
const service = serviceForFile({ env: { SVC_ANTHROPIC_URL: closedUrl } });
const type = 'invalid_request_error';
const invalidKey = { status: 401, code: 'invalid_api_key', type, message: 'Invalid API key.' };

function call(request: RawCall): Promise<RawAnswer> {
  return rawCall(service.system.gatewayUrl, request);
}

async function assertNothingHappened(before: number, organization: string = 'default'): Promise<void> {
  const { openai, anthropic, upstream } = service.system;
  assert.equal(openai.connections + anthropic.connections + upstream.connections, before);
  const listed = await service.system.cli(['calls', 'list', '--org', organization, '--json']);
  assert.deepEqual(listed.json(), []);
}

test('404 unknown_url: paths outside every pattern, method and path shown, the query not', async () => {
  const paths = ['/', '/v1', '/v2/models', '/alt/v1', '/alt', '/upstream', '/upstream/v2/x', '/platform/v1/limits', '/V1/models',
    '/v1/../admin', '/v1/%2e%2e/admin', '/upstream/v1/%2E%2e/x', '/v1/a\\b', '//v1/models'];
  for (const path of paths) {
    const message = `Unknown request URL: PATCH ${path}.`;
    assertRefusal(await call({ method: 'PATCH', target: `${path}?secret=1` }), { status: 404, code: 'unknown_url', type, message });
  }
  assertRefusal(await call({ method: 'GET', target: '/nowhere', headers: [bearer(service.key)] }),
    { status: 404, code: 'unknown_url', type, message: 'Unknown request URL: GET /nowhere.' });
  await assertNothingHappened(0);
});

test('401 invalid_api_key: missing, unknown, malformed, revoked and expired keys receive the same body', async () => {
  const revoked = await service.system.createKey();
  assert.equal((await service.system.cli(['key', 'revoke', revoked.id, '--json'])).code, 0);
  const lists: HeaderPair[][] = [
    [], [bearer('svc_live_unknownunknownunknownunknown0')], [bearer('sk-whatever')], [bearer('')], [bearer(revoked.key)],
    [bearer(`${service.key}x`)], [bearer(`${service.key} `.repeat(2))], [['Authorization', `bearer${service.key}`]],
    [['x-api-key', 'svc_live_unknownunknownunknownunknown0']], [bearer("x' OR 1=1--")], [bearer(`svc_live_${'a'.repeat(8000)}`)],
    [bearer('svc_live_unknownunknownunknownunknown0'), ['x-api-key', service.key]],
  ];
  const bodies = new Set<string>();
  for (const headers of lists) {
    for (const target of ['/v1/chat/completions', '/v1/messages', '/alt/v1/messages', '/upstream/v1/x', '/v1/models']) {
      const answer = await call({ target, headers, body: '{}' });
      assertRefusal(answer, invalidKey);
      bodies.add(answer.body.toString());
    }
  }
  assert.equal(bodies.size, 1);
  await assertNothingHappened(0);
});

test('401 provider_key_missing names the provider that has no key connected', async () => {
  const organization = await service.system.createOrganization('keyless');
  const { key } = await service.system.createKey({ organization: organization.id });
  const rows = [['/v1/chat/completions', 'OpenAI'], ['/v1/messages', 'Anthropic'], ['/alt/v1/messages', 'Anthropic']] as const;
  for (const [target, name] of rows) {
    const message = `No ${name} key is connected for this workspace.`;
    assertRefusal(await call({ target, headers: [bearer(key)], body: '{}' }), { status: 401, code: 'provider_key_missing', type, message });
  }
  await assertNothingHappened(0, 'keyless');
});

test('400 on the upstream route: none declared, then declared and not enabled', async () => {
  const organization = await service.system.createOrganization('upstreamless');
  const { key } = await service.system.createKey({ organization: organization.id });
  const message = 'This workspace has not declared an upstream. Declare one before sending traffic to /upstream/v1.';
  for (const method of ['GET', 'POST', 'DELETE']) {
    assertRefusal(await call({ method, target: '/upstream/v1/chat/completions', headers: [bearer(key)] }),
      { status: 400, code: 'upstream_not_declared', type, message });
  }
  const other = await service.system.createOrganization('upstream-off');
  await service.system.declareUpstream({ organization: other.id, enabled: false });
  const otherKey = await service.system.createKey({ organization: other.id });
  assertRefusal(await call({ target: '/upstream/v1', headers: [bearer(otherKey.key)], body: '{}' }), {
    status: 400, code: 'upstream_not_enabled', type,
    message: "This workspace's declared upstream is not enabled. Enable it before sending traffic to /upstream/v1.",
  });
  await assertNothingHappened(0, 'upstreamless');
  await assertNothingHappened(0, 'upstream-off');
});

test('an early refusal never lets unread body bytes become a second request', async () => {
  const connection = await RawConnection.open(service.system.gatewayUrl);
  const smuggled = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4_000);
  connection.send(`POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`);
  assertRefusal(await connection.nextAnswer(), invalidKey);
  connection.halfClose();
  await connection.ended;
  assert.equal(connection.answers.length, 1);
});

test('a caller that reads once its long body is written finds the refusal, not a reset', async () => {
  const body = Buffer.alloc(32 * 1024 * 1024, 'a');
  const unknown = bearer('svc_live_unknownunknownunknownunknown0');
  for (const headers of [[unknown], [unknown, ['expect', 'nothing']]] as const) {
    const connection = await RawConnection.open(service.system.gatewayUrl);
    connection.stopReading();
    await connection.sendAll(requestBytes({ target: '/v1/responses', headers, body }, 'gateway'));
    connection.readOn();
    assert.ok([401, 417].includes((await connection.nextAnswer()).status));
    await connection.close();
  }
});

test('502 upstream_unreachable: the connection failed; one record, outcome failed, usage none, no status', async () => {
  const answer = await call({ target: '/v1/messages', headers: [bearer(service.key)], body: '{}' });
  assertRefusal(answer, { status: 502, code: 'upstream_unreachable', type: 'api_error', message: 'Upstream provider unreachable.' });
  const id = requestIdOf(answer);
  const record = (await service.system.callsById([id])).get(id);
  assert.deepEqual([record?.outcome, record?.status, record?.usage, record?.cost], ['failed', null, 'none', null]);
});

test('502 upstream_unreachable: the provider closes before its first byte, by FIN and by RST', async () => {
  for (const ending of ['fin', 'rst'] as const) {
    service.system.openai.respond({ raw: [], ending });
    const answer = await call({ target: '/v1/chat/completions', headers: [bearer(service.key)], body: '{}' });
    assertRefusal(answer, { status: 502, code: 'upstream_unreachable', type: 'api_error', message: 'Upstream provider unreachable.' });
  }
  assert.equal(service.system.openai.requests.length, 2, 'nothing is retried');
});
