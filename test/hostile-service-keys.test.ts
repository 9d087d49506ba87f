/**
 * A service key in every place where a client of a named upstream may put it, also twice, and in more than one: it reaches no provider, no log, no
 * span, no record and no answer. Decision 150.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { keptFiles } from '@metergate/testkit/kept-files.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { startScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { productForFile } from './limits/tenant.ts';

const collector = await startScriptedProvider();
collector.respond({ headers: [['content-type', 'application/json']], body: '{}' });
const product = productForFile({
  publishedLimits: false, env: { SVC_ACCESS_LOG: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_on' },
});

const gemini = { candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
const path = '/upstreams/theirs/v1beta/models/m:generateContent';

/** The key's bytes in percent coding, by one character or all. */
const coded = (key: string): readonly string[] => [`%${key.charCodeAt(0).toString(16)}${key.slice(1)}`,
  [...key].map((each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`).join('')];

function requestsWith(key: string): readonly { readonly target: string; readonly headers: readonly HeaderPair[] }[] {
  const fields = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
  const value = (name: string): string => (name === 'authorization' ? `Bearer ${key}` : key);
  const query = `?alt=sse&key=${key}`;
  return [
    ...fields.map((name) => ({ target: path, headers: [[name, value(name)] as const] })),
    ...fields.map((name) => ({ target: path, headers: [[name.toUpperCase(), value(name)] as const, [name, value(name)] as const] })),
    { target: path, headers: fields.map((name) => [name, value(name)] as const) },
    { target: path + query, headers: [] },
    { target: `${path}?key=${key}&key=${key}&x=1`, headers: [] },
    { target: path + query, headers: fields.map((name) => [name, value(name)] as const) },
    { target: `${path}?x=1`, headers: [['authorization', `Basic ${key}`], ['x-api-key', key]] },
    { target: `${path}?x=1`, headers: [['authorization', `bearer   ${key}`]] },
    ...coded(key).map((each) => ({ target: `${path}?key=${each}&token=${each}`, headers: [['x-api-key', key] as const] })),
    { target: `${path}?other=${key}`, headers: [['api-key', key]] },
    { target: `${path}?${key}`, headers: [['api-key', key]] },
    { target: `${path}?a[${key}]=1&b=x${key}y`, headers: [['api-key', key]] },
  ] as const;
}

/** The key that the calls carried. */
let used = '';

test('wherever a caller puts its service key, nobody else ever sees it', async () => {
  const { system } = product;
  const tenant = await product.tenant();
  const place = ['--org', tenant.id, '--name', 'theirs'];
  await system.cli(['upstream', 'declare', ...place, '--url', system.upstream.url, '--auth', 'x-goog-api-key', '--json'], 'provider-key');
  await system.cli(['upstream', 'enable', ...place]);
  system.upstream.respond({ headers: [['content-type', 'application/json']], body: JSON.stringify(gemini) });
  used = tenant.key;
  const requests = requestsWith(used);
  const known = /svc_live_|%73vc_live|%73%76%63/i;
  for (const { target, headers } of requests) {
    const answer = await rawCall(system.gatewayUrl, { method: 'POST', target, headers, body: '{}' });
    assert.equal(answer.status, 200, `${target} ${answer.body.toString()}`);
    const { headers: received, target: called, body } = system.upstream.requests.at(-1)!;
    const all = JSON.stringify([received, called, body.toString('latin1')]);
    assert.ok(!known.test(all) && !decodeURIComponent(called).includes('svc_live_'), all);
    assert.deepEqual(received.filter(([name]) => name.toLowerCase() === 'x-goog-api-key').map(([, value]) => value), ['provider-key']);
    assert.ok(!known.test(answer.head.toString('latin1') + answer.body.toString()));
  }
  const records = await system.calls({ count: requests.length, organization: tenant.id });
  assert.ok(!known.test(JSON.stringify(records)));
  // Refusals name the path, and are logged.
  const gone = await rawCall(system.gatewayUrl, { method: 'POST', target: `/upstreams/none/x?key=${tenant.key}`, body: '{}', headers: [] });
  assert.equal(gone.status, 404);
  assert.ok(!known.test(gone.body.toString()), gone.body.toString());
  assert.ok(!known.test(system.stdout() + system.stderr()));
});

test('no refusal and no failure of a call shows it either', async () => {
  const { system } = product;
  const declared = async (url: string) => {
    const tenant = await product.tenant();
    const place = ['--org', tenant.id, '--name', 'theirs'];
    await system.cli(['upstream', 'declare', ...place, '--url', url, '--auth', 'x-goog-api-key', '--json'], 'provider-key');
    await system.cli(['upstream', 'enable', ...place]);
    return tenant;
  };
  const [capped, limited, away, revoked] = [await declared(system.upstream.url), await declared(system.upstream.url),
    await declared('http://127.0.0.1:1'), await declared(system.upstream.url)];
  await capped.cap({ scope: 'organization', window: 'day', limit: '0', mode: 'refuse' });
  await system.cli(['org', 'set', limited.id, '--models', 'other', '--json']);
  await system.cli(['key', 'revoke', revoked.keyId, '--yes', '--json']);
  const none = `svc_live_${'x'.repeat(43)}`;
  const known = /svc_live_|%73vc_live|%73%76%63/i;
  const before = system.upstream.requests.length;
  for (const [status, key, more] of [
    [402, capped.key, []], [403, limited.key, []], [502, away.key, []], [401, revoked.key, []], [401, none, []],
    [400, away.key, [['x-svc-run-budget', 'much']]],
    [426, away.key, [['connection', 'upgrade'], ['upgrade', 'websocket'], ['sec-websocket-version', '13'], ['sec-websocket-key', 'x'.repeat(22)]]],
  ] as const) {
    for (const { target, headers } of requestsWith(key)) {
      const asked = { method: status === 426 ? 'GET' : 'POST', target, headers: [...headers, ...more], ...(status === 426 ? {} : { body: '{}' }) };
      let whole = '';
      // Changed settings come to the node within a second.
      await eventually(async () => {
        const answer = await rawCall(system.gatewayUrl, asked);
        whole = answer.head.toString('latin1') + answer.body.toString();
        return answer.status === status;
      }, () => `${status} for ${target}: ${whole}`);
      assert.ok(!known.test(whole), whole);
    }
  }
  assert.ok(system.upstream.requests.slice(before).every(({ headers, target }) => !known.test(JSON.stringify([headers, target]))));
  assert.ok(!known.test(system.stdout() + system.stderr()));
});

test('no log, span or file of the product has a service key in it', async () => {
  const { system } = product;
  assert.ok(used.length > 30);
  await eventually(() => collector.requests.length > 0, () => 'no spans were sent');
  for (const { headers, target, body } of collector.requests) {
    assert.ok(!JSON.stringify([headers, target]).includes('svc_live_') && !body.toString('latin1').includes('svc_live_'));
  }
  for (const [file, bytes] of keptFiles(system.dataDirectory)) assert.ok(!bytes.includes(used.slice(0, 30)), file);
  assert.ok(!/svc_live_[0-9A-Za-z]{16}/.test(system.stdout() + system.stderr()));
});

after(() => collector.close());
