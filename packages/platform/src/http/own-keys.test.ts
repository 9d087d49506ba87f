/**
 * Members make and change their own keys within what an admin allows, whichever way they ask; a machine signs in for a person, once, and nothing
 * that others see lets them take the key. Rules 16 and 17; decisions 195 and 196.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
let cookies: { readonly member: string; readonly admin: string; readonly viewer: string };
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
  const { member, admin, viewer } = acme.emails;
  cookies = { member: await platform.signIn(member), admin: await platform.signIn(admin), viewer: await platform.signIn(viewer) };
});

const ask = (who: { readonly cookie?: string; readonly token?: string }, method: string, path: string, body?: unknown) =>
  platform.ask(`/platform/v1${path}`, { method, ...who, ...(body === undefined ? {} : { body }) });
const asMember = (method: string, path: string, body?: unknown) => ask({ cookie: cookies.member }, method, path, body);
const asAdmin = (method: string, path: string, body?: unknown) => ask({ cookie: cookies.admin }, method, path, body);
const codeOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => (body['error'] as { code: string } | undefined)?.code ?? null;
const terms = { keysMax: 2, models: ['gpt-5*'], lifetimeSecondsMax: 86_400, cap: { window: 'day', limit: '3' } };
const setTerms = (ownKeys: unknown, more: object = {}) => asAdmin('PATCH', `/organizations/${acme.id}`, { ownKeys, ...more });

test('usage by person is for admins: it says whose keys are whose', async () => {
  assert.equal((await asAdmin('GET', '/usage?by=person,day')).status, 200);
  assert.equal((await asAdmin('GET', '/usage/file?by=person&format=csv')).status, 200);
  for (const path of ['/usage?by=person', '/usage?by=model,person', '/usage/file?by=person&format=csv']) {
    const refused = await asMember('GET', path);
    assert.deepEqual([refused.status, codeOf(refused)], [403, 'forbidden'], path);
  }
});

test('without terms members make any key; with them, keys for themselves alone and within them', async () => {
  const free = await asMember('POST', '/keys', { name: 'free' });
  assert.equal(free.status, 201);
  assert.equal(codeOf(await setTerms(terms)), 'invalid_setting', 'a cap of keys that refuse nothing is no bound');
  assert.equal((await setTerms(terms, { enforceKeyCaps: true })).status, 200);
  const made = await asMember('POST', '/keys', { name: 'mine' });
  assert.equal(made.status, 201, made.text);
  const listed = (await asMember('GET', '/keys')).body['data'] as Record<string, unknown>[];
  const mine = listed.find(({ id }) => id === made.body['id'])!;
  assert.deepEqual([mine['person'], mine['models']], [acme.emails.member, ['gpt-5*']]);
  assert.equal(Date.parse(String(mine['expiresAt'])) - Date.parse(String(mine['createdAt'])), 86_400_000);
  const caps = (await asMember('GET', '/caps')).body['data'] as Record<string, unknown>[];
  assert.deepEqual(caps.map(({ scope, key, window, limit, state }) => [scope, key, window, limit, state]),
    [['key', made.body['id'], 'day', '3.000000000', 'open']]);

  for (const beyond of [{ models: ['*'] }, { models: ['gpt-5', 'o3'] }, { expiresInSeconds: 86_401 }, { maxRunBudget: '1' },
    { person: acme.emails.admin }]) {
    const refused = await asMember('POST', '/keys', beyond);
    assert.deepEqual([refused.status, codeOf(refused)], [403, 'forbidden'], JSON.stringify(beyond));
  }
  const path = `/keys/${String(made.body['id'])}`;
  for (const beyond of [{ models: null }, { models: ['gpt-*'] }, { expiresInSeconds: null }, { expiresInSeconds: 200_000 }, { maxRunBudget: '5' }]) {
    assert.equal(codeOf(await asMember('PATCH', path, beyond)), 'forbidden', JSON.stringify(beyond));
  }
  for (const within of [{ name: 'other' }, { disabled: true }, { disabled: false }, { models: ['gpt-5-mini'] }, { expiresInSeconds: 60 },
    { maxRunBudget: null }]) {
    assert.equal((await asMember('PATCH', path, within)).status, 200, JSON.stringify(within));
  }
  const others = `/keys/${String(free.body['id'])}`;
  for (const [method, at, body] of [['PATCH', others, { name: 'x' }], ['POST', `${others}/rotate`, {}], ['DELETE', others, undefined]] as const) {
    assert.equal(codeOf(await asMember(method, at, body)), 'forbidden', 'a key that is not theirs, which no term bounds');
  }
  assert.equal((await asAdmin('PATCH', others, { name: 'x' })).status, 200);
  assert.equal((await ask({ token: acme.tokens.member }, 'POST', '/keys', { name: 'by a token' })).status, 201,
    'tokens are made by admins, and for that');

  assert.equal((await asMember('POST', '/keys', {})).status, 201);
  const third = await asMember('POST', '/keys', {});
  assert.deepEqual([third.status, codeOf(third)], [409, 'too_many_keys']);
  assert.equal((await asMember('DELETE', path)).status, 200);
  assert.equal((await asMember('POST', '/keys', {})).status, 201, 'one that ended makes room');
  assert.equal((await setTerms(null)).status, 200);
  assert.equal((await asMember('PATCH', others, { name: 'free again' })).status, 200);
});

test('a token whose maker is no admin any more is bound by the terms as they are; one of an admin and of the operator is not', async () => {
  const { id, emails, tokens } = await platform.organization('of tokens');
  const [owner, admin] = [await platform.signIn(emails.owner), await platform.signIn(emails.admin)];
  const made = await ask({ cookie: admin }, 'POST', '/tokens', { role: 'member' });
  const token = String(made.body['token']);
  assert.equal((await ask({ cookie: owner }, 'PATCH', `/organizations/${id}`, { ownKeys: { keysMax: 1 } })).status, 200);
  const free = await ask({ token }, 'POST', '/keys', {});
  assert.equal(free.status, 201, free.text);
  const maker = (await platform.store.members.findByEmail(id, emails.admin))!.id;
  assert.equal((await ask({ cookie: owner }, 'PATCH', `/members/${maker}`, { role: 'member' })).status, 200);
  for (const [method, body] of [['PATCH', { name: 'x' }], ['DELETE', undefined]] as const) {
    assert.equal(codeOf(await ask({ token }, method, `/keys/${String(free.body['id'])}`, body)), 'forbidden', method);
  }
  const own = await ask({ token }, 'POST', '/keys', {});
  assert.equal((await platform.store.serviceKeys.find(id, String(own.body['id'])))?.person, maker);
  assert.equal(codeOf(await ask({ token }, 'POST', '/keys', {})), 'too_many_keys');
  assert.equal((await ask({ token: tokens.member }, 'POST', '/keys', {})).status, 201, 'the operator\'s');
});

const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');
const begin = (body: object = {}) => platform.ask('/platform/v1/auth/machine-sign-ins', { method: 'POST', body: { challenge,
  machine: 'ada\'s <b>laptop</b>\n', ...body } });
const take = (id: unknown, body: object = { verifier }) =>
  platform.ask(`/platform/v1/auth/machine-sign-ins/${String(id)}/take`, { method: 'POST', body });

test('by a browser: the key comes once, to who holds the verifier and what the browser brought', async () => {
  const begun = await begin({ port: 4_711 });
  assert.equal(begun.status, 201, begun.text);
  const id = String(begun.body['id']);
  assert.deepEqual([begun.body['userCode'], begun.body['path']], [null, `/connect?id=${id}`]);
  assert.equal((await take(id)).body['key'], null, 'nobody has decided');
  const shown = await asMember('GET', `/auth/machine-sign-ins/${id}`);
  assert.equal(shown.body['machine'], 'adas blaptopb', 'what a machine says of itself is plain text');
  assert.equal(codeOf(await ask({ cookie: cookies.viewer }, 'POST', `/auth/machine-sign-ins/${id}/allow`)), 'forbidden');
  assert.equal(codeOf(await ask({ token: acme.tokens.owner }, 'POST', `/auth/machine-sign-ins/${id}/allow`)), 'forbidden', 'a token is no person');
  const crossSite = await platform.ask(`/platform/v1/auth/machine-sign-ins/${id}/allow`, {
    method: 'POST', cookie: cookies.member, headers: { 'sec-fetch-site': 'cross-site' } });
  assert.deepEqual([crossSite.status, codeOf(crossSite)], [403, 'cross_site']);
  const allowed = await asMember('POST', `/auth/machine-sign-ins/${id}/allow`);
  const back = new URL(String(allowed.body['returnTo']));
  assert.deepEqual([back.origin, back.searchParams.get('id'), [...back.searchParams.keys()]], ['http://127.0.0.1:4711', id, ['id', 'code']]);
  const code = back.searchParams.get('code')!;
  assert.equal(codeOf(await asMember('POST', `/auth/machine-sign-ins/${id}/allow`)), 'sign_in_over');
  for (const wrong of [{ verifier }, { verifier, code: 'x'.repeat(43) }, { verifier: 'w'.repeat(43), code }]) {
    assert.equal(codeOf(await take(id, wrong)), 'unknown_sign_in', JSON.stringify(Object.keys(wrong)));
  }
  const taken = await take(id, { verifier, code });
  assert.match(String(taken.body['key']), /^svc_live_\w{43}$/);
  assert.equal(codeOf(await take(id, { verifier, code })), 'sign_in_over');
  const key = String(taken.body['key']);
  const self = await platform.ask('/platform/v1/self', { token: key });
  assert.equal(self.status, 200);
  const [made] = (await platform.store.audit.list({ organization: acme.id, limit: 1 }))!;
  assert.deepEqual([made!.action, made!.subject, Object.keys(made!.detail)],
    ['createKey', taken.body['keyId'], ['name', 'machine', 'address']]);
  assert.ok(!JSON.stringify(made).includes(key.slice(14)));
  assert.equal((await platform.ask('/platform/v1/self', { method: 'DELETE', token: key })).status, 200);
  assert.equal((await platform.ask('/platform/v1/self', { token: key })).status, 401, 'it ended itself');
  const nobodys = await asAdmin('POST', '/keys', {});
  assert.equal(codeOf(await platform.ask('/platform/v1/self', { method: 'DELETE', token: String(nobodys.body['key']) })), 'forbidden');
});

test('by a code: it is found however it is typed, by people who are signed in, a few wrong ones at a time', async () => {
  const { body } = await begin();
  const find = (userCode: string, cookie = cookies.member) => ask({ cookie }, 'POST', '/auth/machine-sign-ins/find', { userCode });
  const typed = String(body['userCode']);
  assert.match(typed, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  assert.equal(body['path'], '/connect');
  assert.equal((await platform.ask('/platform/v1/auth/machine-sign-ins/find', { method: 'POST', body: { userCode: typed } })).status, 401);
  const found = await find(` ${typed.toLowerCase().replace('-', ' ')} `);
  assert.deepEqual([found.body['id'], found.body['byBrowser']], [body['id'], false]);
  assert.deepEqual((await asMember('POST', `/auth/machine-sign-ins/${String(body['id'])}/allow`)).body, { returnTo: null });
  assert.match(String((await take(body['id'])).body['key']), /^svc_live_/);
  const statuses: number[] = [];
  for (let tried = 0; tried < 12; tried += 1) statuses.push((await find('BBBB-BBBB', cookies.viewer)).status);
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 404), 429, 429]);
  assert.equal((await find(typed)).status, 404, 'it is used up');
  assert.equal((await find(String((await begin()).body['userCode']))).status, 200, 'somebody else\'s wrong codes keep nobody out');
});

test('a decided sign-in is its decider\'s; to others, and to tokens, it is like one that never was', async () => {
  const elsewhere = await platform.organization('elsewhere');
  const stranger = { cookie: await platform.signIn(elsewhere.emails.owner) };
  const operations = [['GET', ''], ['POST', '/allow'], ['POST', '/refuse']] as const;
  const answersTo = (who: object, id: string) => Promise.all(operations.map(async ([method, path]) =>
    (await ask(who, method, `/auth/machine-sign-ins/${id}${path}`)).text));
  const never = await answersTo(stranger, 'msi_never');
  const token = await answersTo({ token: acme.tokens.owner }, 'msi_never');
  for (const decision of ['allow', 'refuse']) {
    const { body: { id, userCode } } = await begin();
    assert.equal((await ask(stranger, 'GET', `/auth/machine-sign-ins/${String(id)}`)).status, 200);
    assert.equal((await asMember('POST', `/auth/machine-sign-ins/${String(id)}/${decision}`)).status, 200);
    for (const who of [stranger, { cookie: cookies.admin }]) assert.deepEqual(await answersTo(who, String(id)), never);
    assert.deepEqual(await answersTo({ token: acme.tokens.owner }, String(id)), token, 'a token learns of none');
    assert.match(never[0]!, /unknown_sign_in/);
    assert.match(token[0]!, /forbidden/);
    const own = await asMember('GET', `/auth/machine-sign-ins/${String(id)}`);
    assert.deepEqual([own.status, own.body['state']], [200, decision === 'allow' ? 'allowed' : 'refused']);
    const refused = await asMember('POST', `/auth/machine-sign-ins/${String(id)}/refuse`);
    assert.equal(codeOf(refused), decision === 'allow' ? null : 'sign_in_over');
    assert.equal(codeOf(await take(id)), 'sign_in_over', 'what was taken back gives nothing');
    assert.equal(codeOf(await ask(stranger, 'POST', '/auth/machine-sign-ins/find', { userCode })), 'unknown_sign_in', 'its code is used up');
  }
});

test('a role that ended in between gives no key, nor does a sign-in that was refused; one address begins so many', async () => {
  const { body } = await begin();
  const id = String(body['id']);
  assert.equal((await asMember('POST', `/auth/machine-sign-ins/${id}/refuse`)).status, 200);
  assert.equal(codeOf(await take(id)), 'sign_in_over');
  const later = await begin();
  await asMember('POST', `/auth/machine-sign-ins/${String(later.body['id'])}/allow`);
  const { id: person } = (await platform.store.members.findByEmail(acme.id, acme.emails.member))!;
  await asAdmin('PATCH', `/members/${person}`, { role: 'viewer' });
  assert.equal(codeOf(await take(later.body['id'])), 'forbidden');
  let limited = await begin();
  for (let begun = 0; begun < 60 && limited.status === 201; begun += 1) limited = await begin();
  assert.deepEqual([limited.status, codeOf(limited)], [429, 'too_many_attempts']);
  assert.ok(Number(limited.headers.get('retry-after')) > 0);
  for (const wrong of [{ challenge: 'short' }, { port: 0 }, { port: 70_000 }, { more: 1 }]) assert.equal((await begin(wrong)).status, 400);
  assert.ok(platform.said.every((text) => !text.includes(verifier)));
});

test('machines of one network may ask as often as their sign-ins take, and no more', async () => {
  const { asks } = platform.parts.signInBounds;
  const waits = Array.from({ length: 18_001 }, (_, at) => asks.take(`2001:db8:1:2::${(at % 5_000).toString(16)}`));
  assert.equal(waits.findIndex((wait) => wait !== null), 18_000);
  assert.equal(asks.take('2001:db8:1:3::1'), null);
  while (asks.take('') === null);
  const late = await take('msi_any');
  assert.deepEqual([late.status, codeOf(late)], [429, 'too_many_attempts']);
});
