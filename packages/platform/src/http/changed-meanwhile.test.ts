/** Whoever sends a change with the fields as they read them undoes nobody else's change: nothing is saved, and the answer says what changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
});

const patch = (path: string, body: unknown) => platform.ask(`/platform/v1${path}`, { method: 'PATCH', token: acme.tokens.owner, body });
const errorOf = ({ status, body }: { readonly status: number; readonly body: Record<string, unknown> }) =>
  [status, (body['error'] as { readonly code: string; readonly message: string } | undefined)?.code];

test('an organization: a field that changed since is named, and nothing of the change is saved', async () => {
  const path = `/organizations/${acme.id}`;
  assert.equal((await patch(path, { runCeiling: '5', was: { runCeiling: null } })).status, 200);
  const late = await patch(path, { runCeiling: '6', follow: true, was: { runCeiling: null, follow: false } });
  assert.deepEqual(errorOf(late), [409, 'changed_meanwhile']);
  assert.match(late.text, /runCeiling changed after you read it\. Nothing was saved\./);
  const shown = await platform.ask(`/platform/v1${path}`, { token: acme.tokens.owner });
  assert.deepEqual([shown.body['runCeiling'], shown.body['follow']], ['5.000000000', false]);
  assert.equal((await patch(path, { follow: true, was: { follow: false } })).status, 200, 'another field is nobody else\'s change');
  assert.equal((await patch(path, { runCeiling: '7' })).status, 200, 'who does not say what it was takes what comes');
  assert.equal((await patch(path, { follow: true, was: { plan: 'free', unknown: 1 } })).status, 400);
  const [{ detail } = { detail: {} }] = (await platform.store.audit.list({ organization: acme.id, limit: 1 }))!;
  assert.deepEqual(detail, { id: acme.id, runCeiling: '7' });
});

test('rules of allocation: whoever sets them says which they were made from, by their hash', async () => {
  const set = (team: string, was?: unknown) => platform.ask('/platform/v1/allocation', {
    method: 'PUT', token: acme.tokens.owner, body: { rules: [{ projects: ['*'], team }], ...(was === undefined ? {} : { was }) },
  });
  const first = await set('one', null);
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(errorOf(await set('two', null)), [409, 'changed_meanwhile'], 'there are some by now');
  const was = { hash: first.body['hash'] };
  const second = await set('two', was);
  assert.equal(second.status, 200, second.text);
  assert.deepEqual(errorOf(await set('three', was)), [409, 'changed_meanwhile']);
  const shown = await platform.ask('/platform/v1/allocation', { token: acme.tokens.owner });
  assert.deepEqual(shown.body, second.body, 'nothing was saved, and what a change was made from is no part of the rules');
  const both = await Promise.all(['four', 'five'].map((team) => set(team, { hash: second.body['hash'] })));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409], 'one after the other');
  assert.equal((await platform.ask('/platform/v1/allocation', { method: 'DELETE', token: acme.tokens.owner })).status, 200);
  assert.deepEqual(errorOf(await set('three', was)), [409, 'changed_meanwhile'], 'they were removed');
});

test('a service key: the same, also for when it ends', async () => {
  const made = await platform.ask('/platform/v1/keys', { method: 'POST', token: acme.tokens.owner, body: { name: 'one' } });
  const path = `/keys/${String(made.body['id'])}`;
  const first = await patch(path, { name: 'two', expiresInSeconds: 3_600, was: { name: 'one', expiresAt: null } });
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(errorOf(await patch(path, { expiresInSeconds: 60, was: { expiresAt: null } })), [409, 'changed_meanwhile']);
  assert.deepEqual(errorOf(await patch(path, { name: 'three', was: { person: 'somebody@acme.example' } })), [400, 'invalid_input'],
    'whose key it is cannot be found out by trying');
  assert.equal((await patch(path, { name: 'three', was: { name: 'two', expiresAt: first.body['expiresAt'] } })).status, 200);
});

test('a cap: whoever changes it says what it was, whoever makes it that there was none; both learn of another', async () => {
  const set = (limit: string, was?: unknown) => platform.ask('/platform/v1/caps', {
    method: 'POST', token: acme.tokens.owner,
    body: { scope: 'organization', window: 'month', limit, ...(was === undefined ? {} : { was }) },
  });
  const first = await set('900', null);
  assert.equal(first.status, 201, first.text);
  assert.deepEqual(errorOf(await set('1000', null)), [409, 'changed_meanwhile'], 'there is one by now');
  const was = { limit: first.body['limit'], mode: first.body['mode'] };
  assert.equal((await set('500', was)).status, 201);
  const late = await set('1000', was);
  assert.deepEqual(errorOf(late), [409, 'changed_meanwhile']);
  assert.match(late.text, /limit changed after you read it/);
  assert.equal((await platform.ask(`/platform/v1/caps/${String(first.body['id'])}`, { method: 'DELETE', token: acme.tokens.owner })).status, 200);
  assert.deepEqual(errorOf(await set('1000', was)), [409, 'changed_meanwhile'], 'it was removed');
  assert.equal((await set('1000')).status, 201, 'who does not say what it was takes what comes');
});

test('thresholds of a cap: a second list does not take the place of another\'s', async () => {
  const owner = (await platform.organization('thresholds')).tokens.owner;
  const post = (path: string, body: unknown) => platform.ask(`/platform/v1${path}`, { method: 'POST', token: owner, body });
  const cap = (await post('/caps', { scope: 'organization', window: 'day', limit: '5' })).body['id'];
  assert.equal((await post('/alerts', { cap, at: [50, 80], was: null })).status, 201);
  assert.deepEqual(errorOf(await post('/alerts', { cap, at: [90], was: null })), [409, 'changed_meanwhile'], 'there is a list by now');
  assert.equal((await post('/alerts', { cap, at: [60], was: { at: [50, 80] } })).status, 201);
  assert.deepEqual(errorOf(await post('/alerts', { cap, at: [70], was: { at: [50, 80] } })), [409, 'changed_meanwhile']);
  const [alert] = (await platform.ask('/platform/v1/alerts', { token: owner })).body['data'] as { id: string; at: number[] }[];
  assert.deepEqual(alert!.at, [60]);
  await platform.ask(`/platform/v1/alerts/${alert!.id}`, { method: 'DELETE', token: owner });
  assert.deepEqual(errorOf(await post('/alerts', { cap, at: [70], was: { at: [60] } })), [409, 'changed_meanwhile'], 'they were removed');
  assert.equal((await post('/alerts', { cap, at: [70] })).status, 201, 'who does not say what it was takes what comes');
});

test('a budget of a month: the same', async () => {
  const owner = (await platform.organization('budgets')).tokens.owner;
  const post = (body: object) =>
    platform.ask('/platform/v1/month-budgets', { method: 'POST', token: owner, body: { scope: 'organization', ...body } });
  const first = await post({ amount: '100', was: null });
  assert.equal(first.status, 201, first.text);
  assert.deepEqual(errorOf(await post({ amount: '200', was: null })), [409, 'changed_meanwhile']);
  const was = { amount: first.body['amount'], at: first.body['at'] };
  assert.equal((await post({ amount: '300', month: '2026-11', was: null })).status, 201, 'that of another month is another budget');
  assert.equal((await post({ amount: '300', at: [80], was })).status, 201);
  assert.deepEqual(errorOf(await post({ amount: '400', was })), [409, 'changed_meanwhile']);
});

test('the role of a member: the second change learns of the first', async () => {
  const made = await platform.organization('roles');
  const { id } = (await platform.store.members.findByEmail(made.id, made.emails.member))!;
  const set = (role: string, was?: object) => platform.ask(`/platform/v1/members/${id}`, {
    method: 'PATCH', token: made.tokens.owner, body: { role, ...(was === undefined ? {} : { was }) },
  });
  assert.equal((await set('viewer', { role: 'member' })).status, 200);
  const late = await set('admin', { role: 'member' });
  assert.deepEqual(errorOf(late), [409, 'changed_meanwhile']);
  assert.match(late.text, /role changed after you read it/);
  assert.equal((await set('admin')).status, 200);
});

test('upstreams and provider keys are known by their version: a declaration that was replaced is neither replaced again nor enabled', async () => {
  const owner = (await platform.organization('upstreams')).tokens.owner;
  const ask = (method: string, path: string, body?: unknown) =>
    platform.ask(`/platform/v1${path}`, { method, token: owner, ...(body === undefined ? {} : { body }) });
  for (const path of ['/upstream', '/upstreams/local']) {
    const declare = (was?: unknown) => ask('PUT', path, {
      url: 'https://llm.example.com', credential: 'sk-canary-never-shown', ...(was === undefined ? {} : { was }),
    });
    const first = await declare(null);
    assert.equal(first.status, 200, first.text);
    assert.deepEqual(errorOf(await declare(null)), [409, 'changed_meanwhile']);
    const { version } = first.body;
    assert.equal((await declare({ version })).status, 200, 'of the same address, and another version');
    assert.deepEqual(errorOf(await declare({ version })), [409, 'changed_meanwhile']);
    assert.deepEqual(errorOf(await ask('POST', `${path}/enable?version=${String(version)}`)), [409, 'changed_meanwhile']);
    const now = (await ask('GET', path)).body;
    assert.deepEqual([now['enabled'], now['version'] === version], [false, false]);
    assert.equal((await ask('POST', `${path}/enable?version=${String(now['version'])}`)).status, 200);
    assert.equal((await ask('DELETE', path)).status, 200);
    assert.deepEqual(errorOf(await declare({ version: now['version'] })), [409, 'changed_meanwhile'], 'it was removed');
    assert.equal((await declare()).status, 200);
  }
  const connect = (was?: unknown) => ask('PUT', '/providers/openai', { credential: 'sk-canary-never-shown', ...(was === undefined ? {} : { was }) });
  assert.equal((await connect(null)).status, 200);
  assert.deepEqual(errorOf(await connect(null)), [409, 'changed_meanwhile']);
  const listed = (await ask('GET', '/providers')).body['data'] as { provider: string; version: number | null }[];
  assert.equal(listed.find(({ provider }) => provider === 'anthropic')!.version, null);
  const { version } = listed.find(({ provider }) => provider === 'openai')!;
  assert.equal((await connect({ version })).status, 200);
  assert.deepEqual(errorOf(await connect({ version })), [409, 'changed_meanwhile']);
});
