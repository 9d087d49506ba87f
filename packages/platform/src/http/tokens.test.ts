/**
 * Management tokens are scoped to a role and an organization and never exceed their maker's role, neither when they are made nor
 * later; revoked, expired and orphaned ones open nothing; only their hash is kept. Rule 16.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRightsOf, roles } from '@metergate/core/account/role.ts';
import { createToken } from '../use-cases/management-tokens.ts';
import { granted, platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
});

const context = (nowMs = Date.now()) => ({ store: platform.store, randomBytes: platform.parts.randomBytes, nowMs });
const who = async (token: string) => {
  const answer = await platform.ask('/platform/v1/auth/session', { token });
  return answer.status === 200 ? answer.body['role'] : answer.status;
};
const mint = (body: unknown, asked: { readonly token?: string; readonly cookie?: string }) =>
  platform.ask('/platform/v1/tokens', { method: 'POST', body, ...asked });

test('a token is shown once, works for its role, and lists show only its prefix', async () => {
  const made = await mint({ role: 'member', name: 'ci' }, { token: acme.tokens.admin });
  assert.equal(made.status, 201);
  assert.match(String(made.body['token']), /^svc_mgmt_[0-9A-Za-z]{43}$/);
  assert.equal(await who(String(made.body['token'])), 'member');
  const list = await platform.ask('/platform/v1/tokens', { token: acme.tokens.admin });
  assert.ok(!list.text.includes(String(made.body['token'])));
  assert.ok(list.text.includes(String(made.body['prefix'])));
});

test('no maker, person or token, gives more than they have', async () => {
  for (const maker of ['admin', 'owner'] as const) {
    const cookie = await platform.signIn(acme.emails[maker]);
    for (const role of roles) {
      const expected = hasRightsOf(maker, role) ? 201 : 403;
      assert.equal((await mint({ role }, { token: acme.tokens[maker] })).status, expected, `token of ${maker} makes ${role}`);
      assert.equal((await mint({ role }, { cookie })).status, expected, `${maker} makes ${role}`);
    }
  }
});

test("a person's token follows their role down and ends with their membership, and so do the tokens it made", async () => {
  const cookie = await platform.signIn(acme.emails.admin);
  const parent = String((await mint({ role: 'admin' }, { cookie })).body['token']);
  const child = String((await mint({ role: 'admin' }, { token: parent })).body['token']);
  const admin = (await platform.store.members.list(acme.id)).find(({ role }) => role === 'admin')!;
  assert.deepEqual([await who(parent), await who(child)], ['admin', 'admin']);
  const set = (role: string) => platform.ask(`/platform/v1/members/${admin.id}`, { method: 'PATCH', token: acme.tokens.owner, body: { role } });
  await set('viewer');
  assert.deepEqual([await who(parent), await who(child)], ['viewer', 'viewer']);
  await set('owner');
  assert.deepEqual([await who(parent), await who(child)], ['admin', 'admin'], 'a role above the token\'s own is not given to it');
  await set('admin');
  await platform.ask(`/platform/v1/members/${admin.id}`, { method: 'DELETE', token: acme.tokens.owner });
  assert.deepEqual([await who(parent), await who(child)], [401, 401]);
});

test('revoked and expired tokens open nothing; nobody revokes one above their role', async () => {
  const made = await mint({ role: 'viewer' }, { token: acme.tokens.owner });
  const revoke = (id: unknown, token: string) => platform.ask(`/platform/v1/tokens/${String(id)}`, { method: 'DELETE', token });
  assert.equal((await revoke(made.body['id'], acme.tokens.admin)).status, 200);
  assert.equal(await who(String(made.body['token'])), 401);
  const owners = (await platform.store.managementTokens.list(acme.id)).find(({ role }) => role === 'owner')!;
  assert.equal((await revoke(owners.id, acme.tokens.admin)).status, 403);
  const past = granted(await createToken(context(Date.now() - 60_000), { organization: acme.id, role: 'viewer', lifetimeMs: 59_000, maker: null }));
  const live = granted(await createToken(context(Date.now() - 60_000), { organization: acme.id, role: 'viewer', lifetimeMs: 600_000, maker: null }));
  assert.deepEqual([await who(past.token), await who(live.token)], [401, 'viewer']);
});

test('anything that is not a management token is answered like an unknown one', async () => {
  const unknown = await platform.ask('/platform/v1/keys', { token: `svc_mgmt_${'a'.repeat(43)}` });
  assert.equal(unknown.status, 401);
  const others = [
    '', 'svc_mgmt_', `svc_live_${'a'.repeat(43)}`, `svc_tap_${'a'.repeat(64)}`, `${acme.tokens.owner}x`, acme.tokens.owner.slice(1), "' or 1=1",
  ];
  for (const token of others) {
    const answer = await platform.ask('/platform/v1/keys', { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual([answer.status, answer.text], [401, unknown.text]);
  }
  for (const headers of [{ authorization: `Basic ${acme.tokens.owner}` }, { 'x-api-key': acme.tokens.owner }]) {
    assert.equal((await platform.ask('/platform/v1/keys', { headers })).status, 401);
  }
});
