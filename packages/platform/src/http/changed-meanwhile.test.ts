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
