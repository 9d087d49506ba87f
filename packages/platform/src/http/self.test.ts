/**
 * With only a service key: its limits and what is left; the runs that it began and no others; no other route takes it, and no session
 * or token replaces it. Rule 16a. Invisible names, and upstreams that can never be public, are refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import { sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { operations } from './app.ts';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
interface Made { readonly id: string; readonly key: string }
let own: Made;
let other: Made;
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
  own = (await admin('/keys', { name: 'agent', project: 'p' })).body as unknown as Made;
  other = (await admin('/keys', { name: 'other' })).body as unknown as Made;
  await admin('/caps', { scope: 'organization', window: 'lifetime', limit: '1.00' });
  await admin('/caps', { scope: 'key', key: own.id, window: 'lifetime', limit: '5.00' });
  await admin('/caps', { scope: 'key', key: other.id, window: 'day', limit: '7.00' });
  await admin('/caps', { scope: 'project', project: 'p', window: 'day', limit: '9.00' });
  for (const [run, { id }] of [['mine', own], ['theirs', other]] as const) {
    await platform.store.runs.open([{
      organization: acme.id, id: run, declared: null, effective: null, clampReason: null, startedAtMs: Date.now(), expiresAtMs: null,
      exposureLimit: null, mayCreate: true,
    }]);
    const call = { run, key: id as ServiceKeyId };
    const lacking: readonly Partial<CallRecord>[] = [
      {}, { cost: null, costSource: 'unpriced' }, { costGaps: ['region'] }, { usage: 'unknown', cost: null },
    ];
    const records = lacking.map((given, index) => ({ seq: index + 1, record: sampleRecord(acme.id as OrganizationId, { ...call, ...given }) }));
    await platform.store.calls.ship({ segment: `seg_${run}`, through: 4, records });
  }
});

const admin = (path: string, body: unknown, method = 'POST') =>
  platform.ask(`/platform/v1${path}`, { method, token: acme.tokens.owner, body });
const ask = (path: string, key: string, method = 'GET') => platform.ask(`/platform/v1/self${path}`, { method, token: key });

test('a key sees its name, its project and the caps that bind it, with what is left', async () => {
  const { status, body, text } = await ask('', own.key);
  assert.equal(status, 200, text);
  assert.deepEqual([body['id'], body['name'], body['project'], body['organization']], [own.id, 'agent', 'p', acme.id]);
  const caps = body['caps'] as { scope: string; limit: string; spent: string; headroom: string; resetsAt: unknown }[];
  assert.deepEqual(caps.map(({ scope, limit }) => [scope, limit]), [['organization', '1.000000000'], ['key', '5.000000000']]);
  const lacking = (body['caps'] as LackingCalls[]).map(({ unknownCalls, unpricedCalls, gapCalls }) => [unknownCalls, unpricedCalls, gapCalls]);
  assert.deepEqual(lacking, [[2, 2, 2], [1, 1, 1]], 'calls whose cost is not known: of all keys, and of this one');
  for (const { limit, spent, headroom } of caps) assert.equal(Number(headroom), Math.max(0, Number(limit) - Number(spent)));
  assert.deepEqual(body['limits'], { requestsPerMin: 600, tokensPerMin: 1_000_000, tier: 'team' });
  assert.deepEqual(operations.find(({ id }) => id === 'showSelf')!.answer.safeParse(body).error?.issues, undefined);
  const byOtherHeader = await platform.ask('/platform/v1/self', { headers: { 'x-api-key': own.key } });
  assert.equal(byOtherHeader.status, 200);
});

test("its own runs are shown and closed; another key's are like none", async () => {
  const { unknownCalls, unpricedCalls, gapCalls } = (await ask('/runs/mine', own.key)).body as Record<string, unknown>;
  assert.deepEqual([unknownCalls, unpricedCalls, gapCalls], [1, 1, 1]);
  assert.deepEqual([(await ask('/runs/mine', own.key)).body['state'], (await ask('/runs/mine', other.key)).status], ['live', 404]);
  assert.equal((await ask('/runs/theirs/close', own.key, 'POST')).status, 404);
  assert.equal((await ask('/runs/theirs', other.key)).body['state'], 'live');
  assert.equal((await ask('/runs/mine/close', own.key, 'POST')).body['state'], 'closed');
  assert.equal((await ask('/runs/none', own.key)).status, 404);
  await platform.store.runs.open([{
    organization: acme.id, id: 'new', declared: nanoDollars(9_000_000_000n), effective: nanoDollars(5_000_000_000n), clampReason: 'policy_max',
    startedAtMs: Date.now(), expiresAtMs: null, exposureLimit: null, mayCreate: true, key: own.id as ServiceKeyId,
  }]);
  const begun = await ask('/runs/new', own.key);
  assert.deepEqual([begun.status, begun.body['headroom'], (await ask('/runs/new', other.key)).status], [200, '5.000000000', 404]);
  assert.equal((await ask('/runs/mine', own.key)).body['headroom'], null);
});

test('no other address takes a service key, and these take nothing else', async () => {
  for (const { method, path } of operations.filter(({ role }) => role !== null)) {
    const asked = path.replace('{id}', 'x').replace('{provider}', 'openai').replace('{run}', 'mine');
    const answer = await platform.ask(`/platform/v1${asked}`, { method: method.toUpperCase(), token: own.key });
    assert.equal(answer.status, 401, `${method} ${path}`);
  }
  const cookie = await platform.signIn(acme.emails.owner);
  for (const given of [{ token: acme.tokens.owner }, { cookie }, { token: `${own.key}x` }, {}]) {
    assert.equal((await platform.ask('/platform/v1/self', given)).status, 401);
  }
});

test('a key that is revoked, disabled or expired sees nothing', async () => {
  await admin(`/keys/${other.id}`, { disabled: true }, 'PATCH');
  assert.equal((await ask('', other.key)).status, 401);
});

test('a name of which nothing shows, or that turns the text beside it, is refused', async () => {
  for (const name of ['\u200b', '\u200b\u2060', '\u3164', 'a\u202eb', '\u2066x', 'x\u200f']) {
    assert.equal((await admin('/keys', { name })).status, 400, JSON.stringify(name));
  }
  assert.equal((await admin('/keys', { name: '\ud83d\udc69\u200d\ud83d\udcbb naïve' })).status, 201);
});

test('an upstream that can never be public is refused when it is declared', async () => {
  for (const host of ['169.254.169.254', 'localhost', 'api.localhost', '127.1', '10.0.0.1', '[::1]', '[fd00::1]', '[::ffff:10.0.0.1]']) {
    const answer = await admin('/upstream', { url: `https://${host}` }, 'PUT');
    assert.deepEqual([answer.status, (answer.body['error'] as { code: string }).code], [400, 'invalid_upstream_url'], host);
  }
  for (const host of ['8.8.8.8', 'llm.example.com', '[2606:4700::1111]']) {
    assert.equal((await admin('/upstream', { url: `https://${host}` }, 'PUT')).status, 200, host);
  }
});

test('nothing was answered with a fault', () => assert.deepEqual(platform.reports, []));
