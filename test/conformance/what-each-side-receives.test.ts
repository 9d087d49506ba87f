/**
 * Raw dumps of both sides (spec: Common request elements; What the service does 4): the provider receives what the caller sent except for
 * the listed edits, the caller receives what the provider sent and our id; nothing is there that Node would add by itself.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerValue, headerValues, type HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import type { ReceivedRequest, ScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { providerKeys } from '@metergate/testkit/system.ts';
import { bearer, requestIdOf, serviceForFile, without } from '../running-product.ts';

const service = serviceForFile({}, (running) => running.system.declareUpstream({ path: '/base/v1/' }));

const sent: readonly HeaderPair[] = [
  ['X-Zebra', '1'], ['accept', '*/*'], ['X-ZEBRA', '2'], ['x-svc-tags', 'a,b'], ['Accept-Encoding', 'br, gzip'], ['X-Svc-Project', 'p'],
  ['x-zebra', '3'], ['X-SVC-RUN-ID', 'r1'], ['x-svc-run-budget', '1.00'], ['x-svc-run-anything', 'x'], ['x-svc-other', 'kept'],
  ['__proto__', 'x'], ['Cookie', 'a=1'], ['X-Latin', 'caf\u00e9'], ['User-Agent', 'me/1'],
  ['Connection', 'keep-alive, X-Hop'], ['X-Hop', 'gone'],
  ['TE', 'trailers'], ['Keep-Alive', 'timeout=5'], ['Proxy-Authorization', 'Basic x'], ['Content-Type', 'application/json'],
];
const passed: readonly HeaderPair[] = [
  ['X-Zebra', '1'], ['accept', '*/*'], ['X-ZEBRA', '2'], ['Accept-Encoding', 'br, gzip'], ['x-zebra', '3'], ['x-svc-other', 'kept'],
  ['__proto__', 'x'], ['Cookie', 'a=1'], ['X-Latin', 'caf\u00e9'], ['User-Agent', 'me/1'], ['Content-Type', 'application/json'],
];
const credentialNames = ['authorization', 'x-api-key'];
const framingNames = ['host', 'content-length', 'transfer-encoding', 'connection'];

interface Case {
  readonly target: string;
  readonly asked: string;
  readonly provider: () => ScriptedProvider;
  readonly credential: HeaderPair;
}

const cases: readonly Case[] = [
  { target: '/v1/responses?a=%20b&c', asked: '/v1/responses?a=%20b&c', provider: () => service.system.openai,
    credential: ['authorization', `Bearer ${providerKeys.openai}`] },
  { target: '/v1/messages', asked: '/v1/messages', provider: () => service.system.anthropic,
    credential: ['x-api-key', providerKeys.anthropic] },
  { target: '/alt/v1/messages?beta=true', asked: '/v1/messages?beta=true', provider: () => service.system.anthropic,
    credential: ['x-api-key', providerKeys.anthropic] },
  { target: '/alt/v1/files/x', asked: '/v1/files/x', provider: () => service.system.anthropic,
    credential: ['x-api-key', providerKeys.anthropic] },
  { target: '/upstream/v1/a/b%2Fc?q=1', asked: '/base/v1/a/b%2Fc?q=1', provider: () => service.system.upstream,
    credential: ['authorization', `Bearer ${providerKeys.upstream}`] },
];

async function throughBoth(each: Case, key: readonly HeaderPair[], method: string = 'POST'): Promise<[ReceivedRequest, RawAnswer]> {
  const heard = each.provider().nextRequest();
  const answer = await rawCall(service.system.gatewayUrl, { method, target: each.target, headers: [...sent, ...key], body: '{"x":1}' });
  return [await heard, answer];
}

test('the provider receives no service key, none of the listed headers, exactly one credential, and everything else as sent', async () => {
  for (const each of cases) {
    const keys: HeaderPair[][] = [
      [bearer(service.key)], [['x-api-key', service.key]], [['X-API-KEY', service.key], ['Authorization', 'Basic eDp5']],
      [bearer(service.key), ['Authorization', 'Bearer other'], ['X-Api-Key', service.key], ['x-api-key', 'other']],
    ];
    for (const key of keys) {
      const [heard] = await throughBoth(each, key);
      assert.equal(heard.target, each.asked);
      assert.equal(heard.method, 'POST');
      assert.ok(!heard.head.toString('latin1').includes(service.key), heard.head.toString('latin1'));
      const credentials = heard.headers.filter(([name]) => credentialNames.includes(name.toLowerCase()));
      assert.deepEqual(credentials.map(([name, value]) => [name.toLowerCase(), value]), [each.credential]);
      assert.deepEqual(without(heard.headers, [...credentialNames, ...framingNames]), passed);
      assert.deepEqual(headerValues(heard.headers, 'host'), [new URL(each.provider().url).host]);
      assert.deepEqual(headerValues(heard.headers, 'content-length'), ['7']);
      assert.equal(heard.body.toString(), '{"x":1}');
    }
  }
});

test('any method is forwarded as it is, with and without a body', async () => {
  const upstream = cases.at(-1);
  assert.ok(upstream !== undefined);
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const [heard] = await throughBoth(upstream, [bearer(service.key)], method);
    assert.deepEqual([heard.method, heard.body.toString()], [method, '{"x":1}']);
  }
  const heard = service.system.openai.nextRequest();
  await rawCall(service.system.gatewayUrl, { method: 'GET', target: '/v1/models', headers: [bearer(service.key)] });
  assert.equal((await heard).body.length, 0);
  assert.equal(headerValue((await heard).headers, 'transfer-encoding'), null);
});

test('a chunked body arrives whole, and stays chunked if its length is not known', async () => {
  const heard = service.system.openai.nextRequest();
  const chunks = [Buffer.from('{"a"'), Buffer.from(':1}')];
  await rawCall(service.system.gatewayUrl, { target: '/v1/responses', headers: [bearer(service.key)], chunks });
  assert.equal((await heard).body.toString(), '{"a":1}');
});

const answered: readonly HeaderPair[] = [
  ['X-One', 'a'], ['x-one', 'b'], ['Set-Cookie', 'a=1'], ['set-cookie', 'b=2'], ['x-request-id', 'req_provider'], ['X-Latin', 'caf\u00e9'],
  ['Content-Type', 'application/json'], ['retry-after', '7'],
];

/** The headers by which a 200 describes the run that `sent` asks for. */
const budgetOfRun: readonly HeaderPair[] = [
  ['x-svc-budget-scope', 'run'], ['x-svc-budget-window', 'run'], ['x-svc-run-budget-effective', '1.000000'],
];

test('the caller receives the provider\'s status, headers and bytes, our id, and nothing that Node adds', async () => {
  for (const each of cases) {
    for (const status of [200, 201, 302, 400, 429, 500, 599]) {
      const spoofed: HeaderPair[] = [['x-svc-request-id', 'req_spoofed'], ['X-SVC-Budget-Scope', 'run'], ['Keep-Alive', 'timeout=1']];
      each.provider().respond({ status, reason: 'As Is', headers: [...answered, ...spoofed], body: Buffer.from([123, 0, 255, 125]) });
      const [, answer] = await throughBoth(each, [bearer(service.key)]);
      assert.equal(answer.status, status);
      requestIdOf(answer);
      const list = without(answer.headers, ['x-svc-request-id', 'content-length', 'connection']);
      assert.deepEqual(list, status === 200 ? [...answered, ...budgetOfRun] : answered, answer.head.toString('latin1'));
      assert.deepEqual(headerValues(answer.headers, 'content-length'), ['4']);
      assert.deepEqual(headerValues(answer.headers, 'date'), []);
      assert.deepEqual(headerValues(answer.headers, 'keep-alive'), []);
      assert.deepEqual(answer.body, Buffer.from([123, 0, 255, 125]));
    }
  }
});

test('no connection header is added to an answer on a connection that stays open', async () => {
  service.system.openai.respond({ headers: answered, body: '{}' });
  const answer = await rawCall(service.system.gatewayUrl, { method: 'GET', target: '/v1/models', headers: [bearer(service.key)] });
  assert.deepEqual(headerValues(answer.headers, 'connection'), []);
});

test('a HEAD answer keeps the provider\'s length and has no body', async () => {
  service.system.openai.respond({ raw: Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 12\r\nX-One: a\r\n\r\n'), ending: 'keep' });
  const answer = await rawCall(service.system.gatewayUrl, { method: 'HEAD', target: '/v1/models', headers: [bearer(service.key)] });
  assert.deepEqual([answer.status, answer.body.length, headerValue(answer.headers, 'content-length')], [200, 0, '12']);
});

test('204 and 304 are forwarded without a body', async () => {
  for (const status of [204, 304]) {
    service.system.openai.respond({ status, headers: [['X-One', 'a']], framing: 'none' });
    const answer = await rawCall(service.system.gatewayUrl, { method: 'GET', target: '/v1/models', headers: [bearer(service.key)] });
    assert.deepEqual([answer.status, answer.body.length], [status, 0]);
  }
});

test('a redirect is left to the caller: one request reaches the provider', async () => {
  const before = service.system.openai.requests.length;
  service.system.openai.respond({ status: 302, headers: [['location', `${service.system.anthropic.url}/v1/x`]] });
  const answer = await rawCall(service.system.gatewayUrl, { method: 'GET', target: '/v1/models', headers: [bearer(service.key)] });
  assert.equal(headerValue(answer.headers, 'location'), `${service.system.anthropic.url}/v1/x`);
  assert.equal(service.system.openai.requests.length, before + 1);
});
