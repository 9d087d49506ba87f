/**
 * Sessions of people. Cookie flags, sign-in and its bound, the end of sessions, requests on behalf of other sites, joining by
 * a one-time link, on either engine. Rule 16.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newDatabase } from '@metergate/store/test-support/contract-fixture.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { inviteUser } from '../use-cases/users.ts';
import {
  cookieOf, freshSqlite, granted, password, platformFixture, type PlatformFixture, type TestOrganization,
} from './test-support/platform-fixture.ts';

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`sessions on ${engine}`, () => {
    let server: TestPostgres | null = null;
    let remove = (): void => {};
    let platform: PlatformFixture;
    let acme: TestOrganization;
    before(async () => {
      const sqlite = freshSqlite();
      remove = sqlite.remove;
      if (engine === 'PostgreSQL') server = await testPostgres();
      platform = await platformFixture(server === null ? sqlite.url : await newDatabase(server));
      acme = await platform.organization('acme');
    });
    after(async () => {
      await platform?.end();
      await server?.stop();
      remove();
    });
    const ask = (...given: Parameters<PlatformFixture['ask']>) => platform.ask(...given);
    const session = async (cookie: string): Promise<number> => (await ask('/platform/v1/auth/session', { cookie })).status;
    const errorOf = (answer: { readonly status: number; readonly body: unknown }): [number, string | undefined] =>
      [answer.status, (answer.body as { error?: { code: string } }).error?.code];

    test('signing in sets the session\'s cookie for the whole host, and a note for this path alone: HttpOnly, SameSite=Strict', async () => {
      const answer = await ask('/platform/v1/auth/sign-in/email', { method: 'POST', body: { email: acme.emails.owner.toUpperCase(), password } });
      const cookies = answer.headers.getSetCookie();
      assert.equal(cookies.length, 2);
      for (const [at, name, path] of [[0, 'metergate_session', '/'], [1, 'metergate_known', '/platform/v1/auth/sign-in/email']] as const) {
        const parts = cookies[at]!.split('; ');
        assert.ok(parts[0]!.startsWith(`${name}=`), cookies[at]!);
        for (const part of ['HttpOnly', 'SameSite=Strict', `Path=${path}`]) assert.ok(parts.includes(part), cookies[at]!);
        assert.doesNotMatch(cookies[at]!, /Secure|Domain/i);
      }
      assert.deepEqual(answer.body, { done: true });
      const who = await ask('/platform/v1/auth/session', { cookie: cookieOf(answer) });
      assert.deepEqual(
        [who.body['kind'], who.body['email'], who.body['role'], who.body['organization']],
        ['person', acme.emails.owner, 'owner', { id: acme.id, name: 'acme' }],
      );
    });

    test('a wrong password and an unknown email are answered alike', async () => {
      const wrong = await ask('/platform/v1/auth/sign-in/email', { method: 'POST', body: { email: acme.emails.owner, password: 'not it at all' } });
      const unknown = await ask('/platform/v1/auth/sign-in/email', { method: 'POST', body: { email: 'nobody@acme.example', password } });
      assert.equal(wrong.status, 401);
      assert.deepEqual([wrong.status, wrong.text], [unknown.status, unknown.text]);
    });

    test('after signing out the same cookie opens nothing, and one of another secret never did', async () => {
      const cookie = await platform.signIn(acme.emails.viewer);
      const other = await platform.signIn(acme.emails.viewer);
      assert.notEqual(cookie, other, 'each sign-in is a new session');
      assert.equal((await ask('/platform/v1/auth/sign-out', { method: 'POST', cookie })).status, 200);
      assert.deepEqual([await session(cookie), await session(other)], [401, 200]);
      const [name, value = ''] = other.split('=');
      const token = decodeURIComponent(value).split('.')[0]!;
      assert.equal(await session(`${name}=${encodeURIComponent(`${token}.${Buffer.alloc(32).toString('base64')}`)}`), 401);
      assert.equal(await session(`${name}=${token}`), 401);
    });

    test('a session ends with its membership, and a role taken away holds at the next request', async () => {
      const [owner] = [await platform.signIn(acme.emails.owner)];
      const made = await ask('/platform/v1/invitations', { method: 'POST', cookie: owner, body: { email: 'leaver@acme.example', role: 'admin' } });
      const token = String(made.body['link']).split('#')[1]!;
      const joined = await ask('/platform/v1/auth/invitations/accept', { method: 'POST', body: { token, email: 'leaver@acme.example', password } });
      assert.equal(joined.status, 201, joined.text);
      const cookie = cookieOf(joined);
      const member = `/platform/v1/members/${joined.body['id']}`;
      assert.equal((await ask('/platform/v1/members', { cookie })).status, 200);
      assert.equal((await ask(member, { method: 'PATCH', cookie: owner, body: { role: 'viewer' } })).status, 200);
      assert.equal((await ask('/platform/v1/members', { cookie })).status, 403);
      assert.equal((await ask(member, { method: 'DELETE', cookie: owner })).status, 200);
      assert.equal(await session(cookie), 401);
    });

    test('a text that is no email is refused before it is counted, and keeps nobody from an invitation or a new password', async () => {
      const { id } = (await platform.store.members.findByEmail(acme.id, acme.emails.viewer))!;
      for (const email of [id, `join ${acme.id} new@example.com`, 'nobody', `machine code ${id}`]) {
        for (let tried = 0; tried < 12; tried += 1) {
          const refused = await ask('/platform/v1/auth/sign-in/email', { method: 'POST', body: { email, password: 'wrong password' } });
          assert.deepEqual(errorOf(refused), [400, 'invalid_email']);
        }
      }
      await platform.signIn(acme.emails.viewer);
    });

    test('another password ends the other sessions; one too short is refused', async () => {
      const [cookie, elsewhere] = [await platform.signIn(acme.emails.member), await platform.signIn(acme.emails.member)];
      const change = (currentPassword: string, newPassword: string) =>
        ask('/platform/v1/auth/change-password', { method: 'POST', cookie, body: { currentPassword, newPassword } });
      assert.deepEqual(errorOf(await change(password, 'short')), [400, 'invalid_password']);
      assert.deepEqual(errorOf(await change('not the password', 'another long password')), [401, 'wrong_password']);
      const changed = await change(password, 'another long password');
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual([await session(elsewhere), await session(cookieOf(changed))], [401, 200]);
      await platform.signIn(acme.emails.member, 'another long password');
    });

    test('what another site makes a browser send is refused: by Sec-Fetch-Site, by Origin, by its media type', async () => {
      const cookie = await platform.signIn(acme.emails.owner);
      const post = (headers: Record<string, string>, body: unknown = { name: 'from elsewhere' }) =>
        ask('/platform/v1/keys', { method: 'POST', cookie, body, headers });
      const before = (await ask('/platform/v1/keys', { cookie })).text;
      for (const site of ['cross-site', 'same-site', 'none']) assert.deepEqual(errorOf(await post({ 'sec-fetch-site': site })), [403, 'cross_site']);
      for (const origin of ['https://evil.example', 'null', 'http://platform.test.evil.example', 'https://platform.test']) {
        assert.deepEqual(errorOf(await post({ origin })), [403, 'cross_site']);
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain; application/json', '']) {
        assert.deepEqual(errorOf(await post({ 'content-type': type })), [415, 'unsupported_media_type']);
      }
      assert.deepEqual(errorOf(await ask('/platform/v1/keys', { cookie, headers: { 'sec-fetch-site': 'cross-site' } })), [403, 'cross_site']);
      assert.equal((await ask('/platform/v1/keys', { cookie })).text, before);
      assert.equal((await post({ 'sec-fetch-site': 'same-origin', origin: 'http://platform.test' })).status, 201);
      const login = await ask('/platform/v1/auth/sign-in/email', {
        method: 'POST', body: { email: acme.emails.owner, password }, headers: { origin: 'https://evil.example' },
      });
      assert.deepEqual(errorOf(login), [403, 'cross_site']);
    });

    test('a bearer that is wrong is not made good by a cookie', async () => {
      const cookie = await platform.signIn(acme.emails.owner);
      for (const token of ['svc_mgmt_'.padEnd(52, 'a'), '', 'x']) {
        assert.equal((await ask('/platform/v1/keys', { cookie, headers: { authorization: `Bearer ${token}` } })).status, 401);
      }
    });

    test('one link makes one owner: of ten at once one is granted, and the link is void from then on', async () => {
      const context = { store: platform.store, randomBytes: platform.parts.randomBytes, nowMs: Date.now() };
      const wanted = { organization: acme.id, email: null, role: 'owner', by: null, publicUrl: 'http://platform.test' };
      const invited = granted(await inviteUser(context, wanted));
      assert.match(invited.link, /^http:\/\/platform\.test\/join#[0-9A-Za-z]{43}$/);
      const token = invited.link.split('#')[1]!;
      const accept = (email: string) => ask('/platform/v1/auth/invitations/accept', { method: 'POST', body: { token, email, password } });
      const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => accept(`first${index}@acme.example`)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 9 }, () => 404)]);
      assert.deepEqual(errorOf(await accept('late@acme.example')), [404, 'invitation_not_valid']);
    });

    test('an invitation is only for its email, joins a second organization with the person\'s own password, and can be withdrawn', async () => {
      const globex = await platform.organization('globex');
      const owner = await platform.signIn(globex.emails.owner);
      const invite = async (email: string) => {
        const made = await ask('/platform/v1/invitations', { method: 'POST', cookie: owner, body: { email, role: 'admin' } });
        return { id: String(made.body['id']), token: String(made.body['link']).split('#')[1]! };
      };
      const accept = (body: Record<string, string>) => ask('/platform/v1/auth/invitations/accept', { method: 'POST', body });
      const { token } = await invite(acme.emails.admin);
      assert.deepEqual(errorOf(await accept({ token, email: 'someone@else.example', password })), [404, 'invitation_not_valid']);
      const joined = await accept({ token, email: acme.emails.admin, password });
      assert.equal(joined.status, 201, joined.text);
      const cookie = cookieOf(joined);
      const organizations = await ask('/platform/v1/organizations', { cookie });
      assert.deepEqual((organizations.body['data'] as { name: string }[]).map(({ name }) => name).sort(), ['acme', 'globex']);
      assert.equal((await ask('/platform/v1/auth/organization', { method: 'POST', cookie, body: { organization: globex.id } })).status, 200);
      assert.deepEqual((await ask('/platform/v1/auth/session', { cookie })).body['organization'], { id: globex.id, name: 'globex' });
      const unwanted = await invite('unwanted@globex.example');
      assert.equal((await ask(`/platform/v1/invitations/${unwanted.id}`, { method: 'DELETE', cookie: owner })).status, 200);
      assert.deepEqual(errorOf(await accept({ token: unwanted.token, email: 'unwanted@globex.example', password })), [404, 'invitation_not_valid']);
      const stranger = await platform.organization('initech');
      const foreign = await ask('/platform/v1/auth/organization', { method: 'POST', cookie, body: { organization: stranger.id } });
      assert.deepEqual(errorOf(foreign), [404, 'unknown_organization']);
    });

    test('a session is for the organization that was joined, over a change of password too, and for no other once that is left', async () => {
      const [first, second] = [await platform.organization('first'), await platform.organization('second')];
      const owner = await platform.signIn(second.emails.owner);
      const made = await ask('/platform/v1/invitations', { method: 'POST', cookie: owner, body: { email: first.emails.admin, role: 'admin' } });
      const token = String(made.body['link']).split('#')[1]!;
      const joined = await ask('/platform/v1/auth/invitations/accept', { method: 'POST', body: { token, email: first.emails.admin, password } });
      assert.equal(joined.status, 201, joined.text);
      const of = async (cookie: string) =>
        ((await ask('/platform/v1/auth/session', { cookie })).body['organization'] as { name: string } | undefined)?.name;
      assert.equal(await of(cookieOf(joined)), 'second');
      const next = 'a long password, another one';
      const changed = await ask('/platform/v1/auth/change-password',
        { method: 'POST', cookie: cookieOf(joined), body: { currentPassword: password, newPassword: next } });
      assert.equal(changed.status, 200, changed.text);
      assert.equal(await of(cookieOf(changed)), 'second');
      assert.equal((await ask(`/platform/v1/members/${joined.body['id']}`, { method: 'DELETE', cookie: owner })).status, 200);
      assert.equal(await session(cookieOf(changed)), 401, 'not for the first');
      assert.equal(await of(await platform.signIn(first.emails.admin, next)), 'first');
    });

    test('nobody gives a role above their own, nor changes a person who has one; the last owner stays', async () => {
      const hooli = await platform.organization('hooli');
      const [admin, owner] = [hooli.tokens.admin, hooli.tokens.owner];
      const members = (await ask('/platform/v1/members', { token: admin })).body['data'] as unknown as { id: string; role: string }[];
      const idOf = (role: string) => members.find((member) => member.role === role)!.id;
      const setRole = (token: string, id: string, role: string) => ask(`/platform/v1/members/${id}`, { method: 'PATCH', token, body: { role } });
      const invited = await ask('/platform/v1/invitations', { method: 'POST', token: admin, body: { email: 'x@hooli.example', role: 'owner' } });
      assert.deepEqual(errorOf(invited), [403, 'forbidden']);
      assert.deepEqual(errorOf(await setRole(admin, idOf('viewer'), 'owner')), [403, 'forbidden']);
      assert.deepEqual(errorOf(await setRole(admin, idOf('owner'), 'viewer')), [403, 'forbidden']);
      assert.deepEqual(errorOf(await ask(`/platform/v1/members/${idOf('owner')}`, { method: 'DELETE', token: admin })), [403, 'forbidden']);
      assert.deepEqual(errorOf(await setRole(owner, idOf('owner'), 'viewer')), [409, 'last_owner']);
      assert.deepEqual(errorOf(await ask(`/platform/v1/members/${idOf('owner')}`, { method: 'DELETE', token: owner })), [409, 'last_owner']);
      assert.equal((await setRole(owner, idOf('admin'), 'owner')).status, 200);
      const both = await Promise.all(['owner', 'admin'].map((role) => ask(`/platform/v1/members/${idOf(role)}`, { method: 'DELETE', token: owner })));
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409], 'two owners who go at once leave one');
    });

    test('a link gives no more than its maker could give now: not after they were removed or demoted, nor after their token was', async () => {
      const vehement = await platform.organization('vehement');
      const { owner, admin } = vehement.tokens;
      const members = (await ask('/platform/v1/members', { token: owner })).body['data'] as unknown as { id: string; role: string }[];
      const adminId = members.find((member) => member.role === 'admin')!.id;
      const setRole = (role: string) => ask(`/platform/v1/members/${adminId}`, { method: 'PATCH', token: owner, body: { role } });
      let invited = 0;
      const invite = async (asker: { token?: string; cookie?: string }, role: string) => {
        const email = `guest${invited += 1}@vehement.example`;
        const made = await ask('/platform/v1/invitations', { method: 'POST', ...asker, body: { email, role } });
        assert.equal(made.status, 201, made.text);
        const token = String(made.body['link']).split('#')[1]!;
        const accept = () => ask('/platform/v1/auth/invitations/accept', { method: 'POST', body: { token, email, password } });
        return { id: String(made.body['id']), accept };
      };
      const cookie = await platform.signIn(vehement.emails.admin);
      const minted = (await ask('/platform/v1/tokens', { method: 'POST', cookie, body: { role: 'admin' } })).body;
      const [own, weaker] = [await invite({ cookie }, 'admin'), await invite({ cookie }, 'viewer')];
      const byToken = await invite({ token: String(minted['token']) }, 'admin');
      const revoked = (await ask('/platform/v1/tokens', { method: 'POST', token: admin, body: { role: 'admin' } })).body;
      const byRevoked = await invite({ token: String(revoked['token']) }, 'viewer');
      await ask(`/platform/v1/tokens/${String(revoked['id'])}`, { method: 'DELETE', token: admin });
      await setRole('member');
      for (const link of [own, byToken, byRevoked]) assert.deepEqual(errorOf(await link.accept()), [404, 'invitation_not_valid']);
      const open = (await ask('/platform/v1/invitations', { token: owner })).body['data'] as unknown as { id: string }[];
      assert.deepEqual(open.map(({ id }) => id), [weaker.id]);
      assert.equal((await weaker.accept()).status, 201, 'a member may still give what is below them');
      await setRole('admin');
      assert.equal((await byToken.accept()).status, 201, 'and what they can give again');
      await ask(`/platform/v1/members/${adminId}`, { method: 'DELETE', token: owner });
      assert.deepEqual(errorOf(await own.accept()), [404, 'invitation_not_valid']);
      const ownerLink = await invite({ token: owner }, 'owner');
      const withdraw = (token: string) => ask(`/platform/v1/invitations/${ownerLink.id}`, { method: 'DELETE', token });
      assert.deepEqual(errorOf(await withdraw(admin)), [403, 'forbidden']);
      assert.equal((await withdraw(owner)).status, 200);
    });

    test('passwords, session and invitation tokens are in the store only as hashes', async () => {
      const cookie = await platform.signIn(acme.emails.owner);
      const token = decodeURIComponent(cookie.split('=')[1]!).split('.')[0]!;
      const rows = await platform.store.accounts.find({ model: 'session', where: [], limit: 1_000 });
      assert.ok(rows.length > 0);
      assert.ok(!JSON.stringify(rows).includes(token));
      const credentials = await platform.store.accounts.find({ model: 'account', where: [], limit: 1_000 });
      for (const { password: hash } of credentials) assert.match(String(hash), /^scrypt\$1024\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    });

    test('nothing was answered with a fault', () => assert.deepEqual(platform.reports, []));
  });
}

test('over https the cookies are Secure, and the session\'s is bound to the host', async () => {
  const place = freshSqlite();
  const platform = await platformFixture(place.url, { publicUrl: 'https://platform.test' });
  try {
    const { emails } = await platform.organization('acme');
    const answer = await platform.ask('/platform/v1/auth/sign-in/email', { method: 'POST', body: { email: emails.owner, password } });
    const [cookie = '', note = ''] = answer.headers.getSetCookie();
    assert.match(cookie, /^__Host-metergate_session=/);
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Secure']) assert.ok(cookie.split('; ').includes(part), cookie);
    assert.match(note, /^__Secure-metergate_known=[^;]+;.* Secure/);
    assert.equal((await platform.ask('/platform/v1/auth/session', { cookie: cookieOf(answer) })).status, 200);
  } finally {
    await platform.end();
    place.remove();
  }
});
