/**
 * A one-time link sets a forgotten password, once, for a day, and gives nobody access to another organization; a stored hash with
 * other parameters is accepted and renewed; a service key is renamed, moved, disabled, enabled and rotated with a grace time, and
 * nodes follow. Rules 16 and 17.
 */
import assert from 'node:assert/strict';
import { createHash, scryptSync } from 'node:crypto';
import { test } from 'node:test';
import { inviteUser, makePasswordLink } from '../use-cases/users.ts';
import { granted, password, passwords, platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
});

const context = () => ({ store: platform.store, randomBytes: platform.parts.randomBytes, nowMs: Date.now() });
const api = (path: string, body?: unknown, given: { readonly method?: string; readonly token?: string } = {}) =>
  platform.ask(`/platform/v1${path}`, { method: 'POST', token: acme.tokens.owner, ...(body === undefined ? {} : { body }), ...given });
const use = (token: string, next: string) =>
  platform.ask('/platform/v1/auth/password-links/use', { method: 'POST', body: { token, password: next } });
const tokenOf = (url: unknown): string => String(url).split('#')[1]!;
const signIn = (email: string, withPassword: string) =>
  platform.ask('/platform/v1/auth/sign-in/email', { method: 'POST', body: { email, password: withPassword } });

test('a forgotten password: an owner makes a link, it sets another password once, and every session ends', async () => {
  const email = acme.emails.viewer;
  const cookie = await platform.signIn(email);
  const { id } = (await platform.store.members.list(acme.id)).find((each) => each.email === email)!;
  const made = await api(`/members/${id}/password-link`);
  assert.equal(made.status, 201, made.text);
  const token = tokenOf(made.body['url']);
  assert.match(String(made.body['url']), /^http:\/\/platform\.test\/password#\w{43}$/);
  assert.equal((await use(token, 'short')).status, 400, 'a weak one leaves the link as it is');
  const set = await use(token, 'another long password');
  assert.deepEqual([set.status, set.body['email'], set.headers.getSetCookie().map((line) => line.split('=', 1)[0])],
    [200, email, ['metergate_session', 'metergate_known']]);
  assert.deepEqual([(await use(token, 'yet another password')).status, (await signIn(email, password)).status], [404, 401]);
  assert.equal((await signIn(email, 'another long password')).status, 200);
  assert.equal((await platform.ask('/platform/v1/auth/session', { cookie })).status, 401);
  const actions = (await platform.store.audit.list({ organization: acme.id, limit: 3 }))!.map(({ action }) => action);
  assert.deepEqual(actions.slice(0, 2), ['usePasswordLink', 'makePasswordLink']);
});

test('a newer link makes the older void, and a day ends it', async () => {
  const email = acme.emails.member;
  const make = () => makePasswordLink(context(), { email, publicUrl: 'http://p' });
  const [first, second] = [await make(), await make()];
  assert.equal((await use(tokenOf(granted(first).url), 'another long password')).status, 404);
  const old = granted(await makePasswordLink({ ...context(), nowMs: Date.now() - 86_400_000 }, { email, publicUrl: 'http://p' }));
  assert.deepEqual([(await use(tokenOf(old.url), 'another long password')).status, granted(second).url === old.url], [404, false]);
  assert.ok('refused' in await makePasswordLink(context(), { email: 'nobody@acme.example', publicUrl: 'http://p' }));
});

test("an owner's link opens their organization alone, an admin makes none, and the operator's opens the whole account", async () => {
  const other = await platform.organization('other');
  const email = other.emails.admin;
  const invited = granted(await inviteUser(context(), { organization: acme.id, email, role: 'viewer', by: null, publicUrl: 'http://p' }));
  const acceptance = { token: tokenOf(invited.link), email, password };
  const joined = await platform.ask('/platform/v1/auth/invitations/accept', { method: 'POST', body: acceptance });
  assert.equal(joined.status, 201, joined.text);
  const path = `/members/${String(joined.body['id'])}/password-link`;
  assert.equal((await api(path, undefined, { token: acme.tokens.admin })).status, 403);
  const made = await api(path);
  const set = await use(tokenOf(made.body['url']), 'set by an owner of acme');
  assert.deepEqual([made.status, set.status, set.body], [201, 200, { email }], 'nothing tells that there is another organization');
  const organizationsOf = async (cookie: string) => ((await platform.ask('/platform/v1/organizations', { cookie })).body['data'] as
    { name: string }[]).map(({ name }) => name).sort();
  assert.deepEqual(await organizationsOf(await platform.signIn(email, 'set by an owner of acme')), ['acme']);
  assert.deepEqual(await organizationsOf(await platform.signIn(email)), ['other'], 'their own password and account are as they were');
  const link = granted(await makePasswordLink(context(), { email, publicUrl: 'http://p' }));
  assert.equal((await use(tokenOf(link.url), 'set by the operator')).status, 200);
  assert.deepEqual(await organizationsOf(await platform.signIn(email, 'set by the operator')), ['acme', 'other']);
  assert.deepEqual([(await signIn(email, password)).status, (await signIn(email, 'set by an owner of acme')).status], [401, 401]);
});

test('a hash made with other parameters is accepted, and renewed when its password is known', async () => {
  const email = acme.emails.admin;
  const { id } = (await platform.store.people.withEmail(email))[0]!;
  const salt = Buffer.alloc(16, 3);
  const old = `scrypt$16384$8$1$${salt.toString('base64url')}$${scryptSync(password, salt, 32, { N: 16_384, r: 8, p: 1 }).toString('base64url')}`;
  await platform.store.people.setPassword(id, old);
  assert.equal(passwords.isDated(old), true);
  assert.deepEqual([(await signIn(email, 'not the password')).status, (await platform.store.people.withEmail(email))[0]!.passwordHash], [401, old]);
  assert.equal((await signIn(email, password)).status, 200);
  const now = (await platform.store.people.withEmail(email))[0]!.passwordHash!;
  assert.deepEqual([passwords.isDated(now), (await signIn(email, password)).status], [false, 200]);
});

test('a service key is renamed, moved, disabled, enabled and rotated; nodes learn the current state', async () => {
  const made = (await api('/keys', { name: 'ci', project: 'p1' })).body as { readonly id: string; readonly key: string };
  const seen = (key: string) => platform.store.settings.keyByHash(createHash('sha256').update(key).digest('hex'));
  const patch = async (body: unknown) => {
    const answer = await api(`/keys/${made.id}`, body, { method: 'PATCH' });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const before = await platform.store.settings.revision();
  assert.deepEqual([(await patch({ name: 'ci 2' }))['name'], (await patch({ project: null }))['project']], ['ci 2', null]);
  assert.equal((await seen(made.key))!.project, null);
  assert.equal(typeof (await patch({ disabled: true }))['disabledAt'], 'string');
  assert.equal(await seen(made.key), null);
  assert.equal((await patch({ disabled: false }))['disabledAt'], null);
  assert.ok(await platform.store.settings.revision() >= before + 4, 'every change is one that nodes follow');
  const rotated = (await api(`/keys/${made.id}/rotate`, { graceSeconds: 3_600 })).body as { readonly key: string; readonly formerUntil: string };
  const [former, now] = [await seen(made.key), await seen(rotated.key)];
  assert.deepEqual([former!.id, former!.expiresAtMs, now!.id, now!.expiresAtMs], [made.id, Date.parse(rotated.formerUntil), made.id, null]);
  const again = (await api(`/keys/${made.id}/rotate`, {})).body as { readonly key: string };
  assert.deepEqual([await seen(made.key), await seen(rotated.key), (await seen(again.key))!.id], [null, null, made.id]);
  await api(`/keys/${made.id}`, undefined, { method: 'DELETE' });
  assert.equal((await api(`/keys/${made.id}/rotate`, {})).status, 409);
  assert.equal(await seen(again.key), null);
});

test("whose key it is, admins see and the person; for somebody else only an admin makes one, and nobody learns who is a member", async () => {
  const team = await platform.organization('team');
  const keys = (token: string) => platform.ask('/platform/v1/keys', { token });
  const make = (person: string, as: { readonly token?: string; readonly cookie?: string }) =>
    platform.ask('/platform/v1/keys', { method: 'POST', body: { person }, headers: { origin: 'http://platform.test' }, ...as });
  const cookie = await platform.signIn(team.emails.member);
  assert.equal((await make(team.emails.viewer, { token: team.tokens.admin })).status, 201);
  assert.equal((await make('stranger@team.example', { token: team.tokens.admin })).status, 404);
  for (const person of [team.emails.viewer, 'stranger@team.example']) {
    for (const as of [{ cookie }, { token: team.tokens.member }]) assert.equal((await make(person, as)).status, 403);
  }
  assert.equal((await make(team.emails.member.toUpperCase(), { cookie })).status, 201);
  const seen = async (as: { readonly token?: string; readonly cookie?: string }) =>
    ((await platform.ask('/platform/v1/keys', as)).body['data'] as { person: string | null }[]).map(({ person }) => person);
  assert.deepEqual(await seen({ token: team.tokens.admin }), [team.emails.viewer, team.emails.member]);
  assert.deepEqual(await seen({ cookie }), [null, team.emails.member]);
  assert.deepEqual(await seen({ token: team.tokens.viewer }), [null, null]);
  const [first] = (await keys(team.tokens.admin)).body['data'] as { id: string }[];
  const revoked = await platform.ask(`/platform/v1/keys/${first!.id}`, { method: 'DELETE', cookie, headers: { origin: 'http://platform.test' } });
  assert.deepEqual([revoked.status, revoked.body['person']], [200, null]);
});

test('a cap of a person is set by an admin; whose it is, admins see and the person; labels everybody sees', async () => {
  const team = await platform.organization('capped team');
  const limits = { window: 'month', limit: '5' };
  const set = (body: object, token = team.tokens.admin) => platform.ask('/platform/v1/caps', { method: 'POST', body: { ...limits, ...body }, token });
  const ofPerson = { scope: 'person', person: team.emails.member.toUpperCase() };
  const made = await set(ofPerson);
  assert.deepEqual([made.status, made.body['person'], made.body['state']], [201, team.emails.member, 'open']);
  assert.equal((await set({ scope: 'label', label: 'team:search' })).status, 201);
  assert.equal((await set(ofPerson, team.tokens.member)).status, 403);
  for (const [body, status, code] of [
    [{ scope: 'person', person: 'stranger@team.example' }, 404, 'unknown_member'], [{ scope: 'person' }, 400, 'invalid_input'],
    [{ ...ofPerson, label: 'x' }, 400, 'invalid_input'], [{ scope: 'label', label: 'a,b' }, 400, 'invalid_input'],
    [{ scope: 'label', label: 'x'.repeat(4_096) }, 400, 'invalid_input'],
  ] as const) {
    const refused = await set(body);
    assert.deepEqual([refused.status, (refused.body['error'] as { code: string }).code], [status, code], JSON.stringify(body).slice(0, 99));
  }
  const cookie = await platform.signIn(team.emails.member);
  const seen = async (as: { readonly token?: string; readonly cookie?: string }) =>
    ((await platform.ask('/platform/v1/caps', as)).body['data'] as { person: string | null; label: string | null }[])
      .map(({ person, label }) => person ?? label);
  assert.deepEqual(await seen({ token: team.tokens.admin }), [team.emails.member, 'team:search']);
  assert.deepEqual(await seen({ cookie }), [team.emails.member, 'team:search']);
  assert.deepEqual(await seen({ token: team.tokens.viewer }), ['team:search'], 'not even what somebody spent');
  const trial = (token: string) => platform.ask(`/platform/v1/caps/try?scope=person&person=${team.emails.member}&window=day&limit=1`, { token });
  assert.deepEqual([(await trial(team.tokens.admin)).status, (await trial(team.tokens.viewer)).status], [200, 403]);
});

test('nothing was answered with a fault', () => assert.deepEqual(platform.reports, []));
