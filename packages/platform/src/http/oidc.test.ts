/**
 * Against a real provider on both engines: signing in by OpenID Connect begins the same session as a password; a callback that was not begun
 * in this browser, comes twice, was altered or is from another provider opens nothing; roles are the provider's; a provider that is away is
 * reported; no page repeats what was sent, and no answer holds a secret. Rule 16.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { newDatabase } from '@metergate/store/test-support/contract-fixture.ts';
import { oidcClient, startIdentityProvider, type TestIdentityProvider } from '@metergate/testkit/identity-provider.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { begunSignIns } from '../auth/oidc/begun-sign-in.ts';
import { createIdentityProvider } from '../auth/oidc/identity-provider.ts';
import { keptIdTokens } from '../auth/oidc/kept-id-token.ts';
import type { OidcSettings } from '../auth/oidc/oidc-settings.ts';
import { comingBackFrom, Jar } from './test-support/browser.ts';
import {
  freshSqlite, masterKey, password, platformFixture, providedLifeMs, type Answered, type PlatformFixture, type TestOrganization,
} from './test-support/platform-fixture.ts';

const publicUrl = 'https://platform.test';
const start = '/platform/v1/auth/oidc/start';
const callback = '/platform/v1/auth/oidc/callback';

const settingsOf = ({ issuer }: TestIdentityProvider): OidcSettings => ({
  issuer, clientId: oidcClient.id, clientSecret: oidcClient.secret, roleClaim: oidcClient.roleClaim, sessionMs: providedLifeMs, signOutThere: true,
  emailsTrusted: false,
});

/** Changes one character near the end, where every bit counts. */
const altered = (text: string): string => `${text.slice(0, -4)}${text.at(-4) === 'A' ? 'B' : 'A'}${text.slice(-3)}`;

const claimsIn = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`signing in by OpenID Connect on ${engine}`, () => {
    let server: TestPostgres | null = null;
    let remove = (): void => {};
    let idp: TestIdentityProvider;
    let platform: PlatformFixture;
    let acme: TestOrganization;
    let later = 0;
    let people = 0;
    const said: string[] = [];
    before(async () => {
      const sqlite = freshSqlite();
      remove = sqlite.remove;
      if (engine === 'PostgreSQL') server = await testPostgres();
      idp = await startIdentityProvider({ redirectUri: publicUrl + callback, afterSignOut: `${publicUrl}/sign-in` });
      const settings = settingsOf(idp);
      platform = await platformFixture(server === null ? sqlite.url : await newDatabase(server), {
        publicUrl, clock: () => Date.now() + later, oidc: () => ({
          provider: createIdentityProvider({ settings, clock: () => Date.now() + later, say: (sentence) => said.push(sentence) }),
          begun: begunSignIns(masterKey, () => Date.now() + later), idTokens: keptIdTokens(masterKey, () => Date.now() + later, providedLifeMs),
        }),
      });
      acme = await platform.organization('acme');
    });
    after(async () => {
      await platform?.end();
      await idp?.close();
      await server?.stop();
      remove();
    });
    afterEach(() => { idp.tamper = null; });

    const newPerson = (groups: unknown, more: Record<string, unknown> = {}): string => {
      people += 1;
      const subject = `subject-${people}`;
      idp.people.set(subject, { email: `${subject}@provided.example`, email_verified: true, groups, ...more });
      return subject;
    };
    /** From the start to the address that the provider sends the browser back to. */
    const begin = async (jar: Jar, subject: string | null, path = start): Promise<{ readonly begun: Answered; readonly back: URL }> => {
      const begun = await platform.ask(path, { headers: { cookie: jar.header } });
      assert.equal(begun.status, 303, begun.text);
      jar.take(begun.headers);
      return { begun, back: await comingBackFrom(idp, subject, { location: begun.headers.get('location')!, publicUrl }) };
    };
    const comeBack = async (jar: Jar, back: URL): Promise<Answered> => {
      const headers = { cookie: jar.header, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
      const answer = await platform.ask(back.pathname + back.search, { headers });
      jar.take(answer.headers);
      return answer;
    };
    const signIn = async (subject: string | null, jar = new Jar()): Promise<Answered> => comeBack(jar, (await begin(jar, subject)).back);
    const sessionOf = async (jar: Jar) => platform.ask('/platform/v1/auth/session', { cookie: jar.header });
    const isRefusedPage = (answer: Answered, status: number, sentence: RegExp): void => {
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, sentence);
      assert.match(answer.headers.get('content-type')!, /^text\/html/);
      assert.ok(!answer.headers.getSetCookie().some((line) => line.includes('metergate_session=')), 'no session begins');
    };

    test('the ways to sign in name the provider and the address for a browser', async () => {
      const { body } = await platform.ask('/platform/v1/auth/ways');
      assert.deepEqual(body, { password: true, openIdConnect: { name: new URL(idp.issuer).host, start } });
    });

    test('a sign-in asks for a code with PKCE, state and nonce, and ends in the same session as a password\'s', async () => {
      const jar = new Jar();
      const { begun, back } = await begin(jar, newPerson('admin'), `${start}?to=/caps%3Fnew%3D1`);
      const asked = new URL(begun.headers.get('location')!).searchParams;
      assert.deepEqual(
        ['response_type', 'client_id', 'redirect_uri', 'code_challenge_method', 'scope'].map((name) => asked.get(name)),
        ['code', oidcClient.id, publicUrl + callback, 'S256', 'openid email groups'],
      );
      for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked.get(name) ?? '').length >= 43, name);
      const [carrier] = begun.headers.getSetCookie();
      for (const part of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/', 'Max-Age=600']) assert.ok(carrier!.split('; ').includes(part), part);
      for (const name of ['state', 'nonce']) assert.ok(!carrier!.includes(asked.get(name)!), 'the cookie is sealed');
      const answer = await comeBack(jar, back);
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/caps?new=1']);
      const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('__Host-metergate_session='))!;
      const byPassword = (await platform.ask('/platform/v1/auth/sign-in/email', { method: 'POST', body: { email: acme.emails.owner, password } }))
        .headers.getSetCookie()[0]!;
      assert.deepEqual(cookie.split('; ').slice(1), byPassword.split('; ').slice(1), 'flags and life are the same');
      assert.ok(answer.headers.getSetCookie().some((line) => /^__Host-metergate_sign_in=;.*Max-Age=0/.test(line)), 'what was carried is gone');
      const { body } = await sessionOf(jar);
      assert.deepEqual([body['kind'], body['email'], body['role'], body['organization']],
        ['person', `subject-${people}@provided.example`, 'admin', { id: acme.id, name: 'acme' }]);
      assert.equal((await platform.ask('/platform/v1/auth/sign-out', { method: 'POST', cookie: jar.header })).status, 200);
      assert.equal((await sessionOf(jar)).status, 401);
    });

    test('an answer counts once, in the browser that began it, with the state that it began', async () => {
      const [own, other, none] = [new Jar(), new Jar(), new Jar()];
      const { back } = await begin(own, newPerson('viewer'));
      const carried = own.header;
      await begin(other, newPerson('viewer'));
      isRefusedPage(await comeBack(none, back), 400, /not begun in this browser/);
      isRefusedPage(await comeBack(other, back), 400, /could not be verified/);
      const alterations = [['state', 'another'], ['state', null], ['code', 'another'], ['code', null], ['iss', 'https://evil.example']] as const;
      for (const [name, value] of alterations) {
        const altered = new URL(back);
        if (value === null) altered.searchParams.delete(name);
        else altered.searchParams.set(name, value);
        const jar = new Jar();
        jar.take(new Headers([['set-cookie', carried]]));
        isRefusedPage(await comeBack(jar, altered), 400, /could not be verified/);
      }
      const doubled = new URL(back);
      doubled.searchParams.append('state', 'second');
      const jar = new Jar();
      jar.take(new Headers([['set-cookie', carried]]));
      isRefusedPage(await comeBack(jar, doubled), 400, /could not be verified/);
    });

    test('a used code opens nothing the second time, whoever still has the cookie', async () => {
      const jar = new Jar();
      const { back } = await begin(jar, newPerson('viewer'));
      const again = new Jar();
      again.take(new Headers([['set-cookie', jar.header]]));
      assert.equal((await comeBack(jar, back)).status, 303);
      isRefusedPage(await comeBack(jar, back), 400, /not begun in this browser/);
      isRefusedPage(await comeBack(again, back), 400, /could not be verified/);
    });

    test('a token of another sign-in, an altered one, an unsigned one and none are refused', async () => {
      await signIn(newPerson('owner'));
      const old = idp.idTokens.at(-1)!;
      const [head, body, signature] = old.split('.') as [string, string, string];
      const owner = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), sub: 'somebody' })).toString('base64url');
      const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
      const changed = (token: string): string => {
        const [first, payload, sealed] = token.split('.') as [string, string, string];
        return `${first}.${payload}.${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`;
      };
      const lies: readonly ((answer: Record<string, unknown>) => unknown)[] = [
        () => old, () => `${head}.${owner}.${signature}`, () => unsigned, ({ id_token: token }) => changed(String(token)), () => undefined, () => 7,
      ];
      for (const lie of lies) {
        idp.tamper = (answer) => ({ ...answer, id_token: lie(answer) });
        isRefusedPage(await signIn(newPerson('viewer')), 400, /could not be verified/);
      }
      idp.tamper = () => ({ error: 'invalid_client', error_description: '<script>' });
      isRefusedPage(await signIn(newPerson('viewer')), 400, /could not be verified/);
    });

    test('a person whom the provider refuses sees a sentence that does not repeat the provider\'s words', async () => {
      isRefusedPage(await signIn(null), 403, /did not let you in/);
      const jar = new Jar();
      const { back } = await begin(jar, newPerson('viewer'));
      const state = back.searchParams.get('state')!;
      const told = 'error=%3Cscript%3Ealert(1)&error_description=%3Cimg+src=x%3E&error_uri=javascript:1';
      const lie = new URL(`${publicUrl}${callback}?state=${state}&${told}`);
      lie.searchParams.set('iss', idp.issuer);
      const answer = await comeBack(jar, lie);
      isRefusedPage(answer, 400, /could not be verified/);
      assert.doesNotMatch(answer.text, /alert\(|img src|javascript/);
    });

    test('roles are the provider\'s: they grow and shrink with it, and without one nobody is let in', async () => {
      const subject = newPerson(['staff', 'acme:viewer']);
      const roleNow = async (groups: unknown): Promise<unknown> => {
        idp.people.set(subject, { ...idp.people.get(subject), groups });
        const jar = new Jar();
        const answer = await signIn(subject, jar);
        return answer.status === 303 ? (await sessionOf(jar)).body['role'] : answer.status;
      };
      const first = new Jar();
      await signIn(subject, first);
      assert.equal(await roleNow(['acme:viewer', `${acme.id}:admin`]), 'admin', 'the id and the name are one organization');
      assert.equal((await sessionOf(first)).body['role'], 'admin', 'a session that goes on has the role of now');
      assert.equal(await roleNow(['acme:member']), 'member');
      const made = await platform.ask('/platform/v1/audit?limit=1000', { token: acme.tokens.owner });
      const rows = (made.body['data'] as { action: string; actor: { name: string }; detail: Record<string, unknown> }[])
        .filter(({ actor }) => actor.name === `${subject}@provided.example`).toReversed();
      assert.deepEqual(rows.map(({ action, detail }) => [action, detail['before'], detail['role']]), [
        ['provideMember', null, 'viewer'], ['provideMember', 'viewer', 'admin'], ['provideMember', 'admin', 'member'],
      ]);
      for (const nothing of [[], ['staff'], ['elsewhere:owner'], undefined, 'Owner', [['owner']]]) {
        assert.equal(await roleNow(nothing), 403);
      }
      assert.equal((await sessionOf(first)).status, 401, 'and what was open is closed');
      isRefusedPage(await signIn(newPerson([])), 403, /gives you no role/);
    });

    test('a role without an organization counts if there is only one; with several each must be named', async () => {
      const globex = await platform.organization('globex: north');
      isRefusedPage(await signIn(newPerson('owner')), 403, /gives you no role/);
      const jar = new Jar();
      assert.equal((await signIn(newPerson(['globex: north:viewer', 'acme:owner']), jar)).status, 303);
      const { body } = await platform.ask('/platform/v1/organizations', { cookie: jar.header });
      assert.deepEqual((body['data'] as { id: string }[]).map(({ id }) => id).sort(), [acme.id, globex.id].sort());
    });

    test('an email that the provider did not verify opens nobody\'s account; one that it did is the same person', async () => {
      const email = acme.emails.member;
      const unsaid = /does not say that your email address was verified/;
      isRefusedPage(await signIn(newPerson('acme:owner', { email, email_verified: false })), 403, unsaid);
      for (const said of [false, undefined, 'false', 1, null]) {
        isRefusedPage(await signIn(newPerson('acme:viewer', { email_verified: said })), 403, unsaid);
      }
      isRefusedPage(await signIn(newPerson('acme:owner', { email: undefined })), 403, /did not send an email/);
      const jar = new Jar();
      assert.equal((await signIn(newPerson('acme:member', { email: email.toUpperCase(), email_verified: true }), jar)).status, 303);
      assert.equal((await sessionOf(jar)).body['email'], email);
      isRefusedPage(await signIn(newPerson('acme:owner', { email, email_verified: true })), 403, /belongs to another user/);
    });

    test('after signing in a browser goes only to an address of this site', async () => {
      const elsewhere = ['//evil.example', '/\\evil.example', 'https://evil.example', '/\t/evil.example', 'javascript:1', '/a\\b', '', '/x\r\ny: z'];
      for (const to of elsewhere) {
        const jar = new Jar();
        const { back } = await begin(jar, newPerson('acme:viewer'), `${start}?to=${encodeURIComponent(to)}`);
        assert.equal((await comeBack(jar, back)).headers.get('location'), '/', to);
      }
    });

    test('another site leads to the sign-in page and no further; the callback is for GET', async () => {
      const led = await platform.ask(start, { headers: { 'sec-fetch-site': 'cross-site' } });
      assert.deepEqual([led.status, led.headers.get('location'), led.headers.getSetCookie()], [303, '/sign-in', []]);
      const elsewhere = await platform.ask(start, { headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } });
      assert.equal(new URL(elsewhere.headers.get('location')!).searchParams.get('redirect_uri'), publicUrl + callback);
      assert.equal((await platform.app.request(publicUrl + callback, { method: 'HEAD' })).status, 405);
      assert.equal((await platform.app.request(publicUrl + callback, { method: 'POST' })).status, 404);
    });

    test('a sign-in that takes longer than ten minutes is void, and so is an altered one', async () => {
      const jar = new Jar();
      const { back } = await begin(jar, newPerson('acme:viewer'));
      later += 601_000;
      isRefusedPage(await comeBack(jar, back), 400, /longer than ten minutes/);
      const own = begunSignIns(masterKey, Date.now);
      const sealed = own.seal({ checks: { state: 's', nonce: 'n', verifier: 'v' }, to: '/' });
      assert.equal(own.open(sealed)?.to, '/');
      const wrong = ['', 'x', sealed.slice(1), altered(sealed), `${sealed}=`, 'A'.repeat(5_000)];
      assert.deepEqual(wrong.map((each) => own.open(each)), wrong.map(() => null));
      assert.equal(begunSignIns(new Uint8Array(32), Date.now).open(sealed), null);
    });

    test('a session by the provider ends after its hours, however it is used, and the next sign-in brings the role of then', async () => {
      const subject = newPerson('acme:admin');
      const [jar, own] = [new Jar(), new Jar()];
      await signIn(subject, jar);
      own.take(new Headers([['set-cookie', await platform.signIn(acme.emails.owner)]]));
      const before = later;
      later = providedLifeMs - 60_000;
      assert.equal((await sessionOf(jar)).status, 200);
      idp.people.set(subject, { ...idp.people.get(subject), groups: ['acme:viewer'] });
      assert.equal((await sessionOf(jar)).body['role'], 'admin', 'nobody has asked the provider since');
      later += 61_000;
      assert.equal((await sessionOf(jar)).status, 401);
      assert.equal((await sessionOf(own)).status, 200, 'one that began with a password goes on');
      later = before;
      await signIn(subject, jar);
      assert.equal((await sessionOf(jar)).body['role'], 'viewer');
    });

    test('signing out continues at the provider, with the token of the sign-in as a hint, and returns to the sign-in page', async () => {
      const jar = new Jar();
      const { back } = await begin(jar, newPerson('acme:viewer'));
      const answer = await comeBack(jar, back);
      const kept = answer.headers.getSetCookie().find((line) => line.startsWith('__Secure-metergate_id_token='))!;
      const parts = ['Path=/platform/v1/auth/sign-out', 'HttpOnly', 'Secure', 'SameSite=Strict', `Max-Age=${providedLifeMs / 1_000}`];
      for (const part of parts) assert.ok(kept.split('; ').includes(part), kept);
      assert.ok(!kept.includes(idp.idTokens.at(-1)!), 'it is sealed');
      const left = await platform.ask('/platform/v1/auth/sign-out', { method: 'POST', cookie: jar.header });
      const there = new URL(String(left.body['goOnTo']));
      assert.equal(there.origin, idp.issuer);
      assert.deepEqual([...there.searchParams].sort(), [
        ['client_id', oidcClient.id], ['id_token_hint', idp.idTokens.at(-1)!], ['post_logout_redirect_uri', `${publicUrl}/sign-in`],
      ]);
      jar.take(left.headers);
      assert.equal((await sessionOf(jar)).status, 401);
      const theirs = new Jar();
      const asked = await fetch(there, { redirect: 'manual' });
      theirs.take(asked.headers);
      const form = await asked.text();
      const body = new URLSearchParams({ xsrf: /name="xsrf" value="([^"]+)"/.exec(form)![1]!, logout: 'yes' });
      const action = /action="([^"]+)"/.exec(form)![1]!;
      const confirmed = await fetch(action, { method: 'POST', body, redirect: 'manual', headers: { cookie: theirs.header } });
      assert.equal(confirmed.headers.get('location'), `${publicUrl}/sign-in`);
      const again = await platform.ask('/platform/v1/auth/sign-out', { method: 'POST', cookie: jar.header });
      assert.deepEqual(again.body, { done: true, goOnTo: null });
      const byPassword = await platform.ask('/platform/v1/auth/sign-out', { method: 'POST', cookie: await platform.signIn(acme.emails.owner) });
      assert.deepEqual(byPassword.body, { done: true, goOnTo: null });
    });

    test('a token that is too long for a cookie is left out, one that was altered does not count, and a setting keeps signing out here', async () => {
      const kept = keptIdTokens(masterKey, Date.now, 1_000);
      assert.equal(kept.open(kept.seal('x'.repeat(5_000))), '');
      assert.equal(kept.open(kept.seal('a.b.c')), 'a.b.c');
      assert.deepEqual(['', 'x', altered(kept.seal('a.b.c'))].map((each) => kept.open(each)), [null, null, null]);
      assert.equal(keptIdTokens(masterKey, () => Date.now() + 2_000, 1_000).open(kept.seal('a.b.c')), null);
      const say = (line: string) => assert.fail(line);
      const there = createIdentityProvider({ settings: settingsOf(idp), clock: Date.now, say });
      const without = new URL((await there.signOut('', `${publicUrl}/sign-in`))!);
      assert.deepEqual([...without.searchParams.keys()].sort(), ['client_id', 'post_logout_redirect_uri']);
      const here = createIdentityProvider({ settings: { ...settingsOf(idp), signOutThere: false }, clock: Date.now, say });
      assert.equal(await here.signOut('', `${publicUrl}/sign-in`), null);
    });

    test('callbacks that fail bind the sign-in that they belong to and nobody else behind the same address', async () => {
      for (let time = 0; time < 150; time += 1) {
        const jar = new Jar();
        jar.take((await platform.ask(start)).headers);
        isRefusedPage(await comeBack(jar, new URL(`${publicUrl}${callback}?code=x&state=y`)), 400, /could not be verified/);
      }
      const jar = new Jar();
      const { back } = await begin(jar, newPerson('acme:viewer'));
      const again = new Jar();
      again.take(new Headers([['set-cookie', jar.header]]));
      const failing = new URL(back);
      failing.searchParams.set('code', 'another');
      isRefusedPage(await comeBack(jar, failing), 400, /could not be verified/);
      isRefusedPage(await comeBack(again, back), 400, /could not be verified/);
      assert.equal((await signIn(newPerson('acme:viewer'))).status, 303);
      assert.match(await platform.signIn(acme.emails.admin), /metergate_session/, 'a password works too');
    });

    test('a token that names another client as its authorized party, or several audiences and no party, is refused', async () => {
      const tokenWith = (change: Record<string, unknown>) => (answer: Record<string, unknown>) => {
        const { azp: _, ...claims } = claimsIn(String(answer['id_token']));
        return { ...answer, id_token: idp.signed({ ...claims, ...change }) };
      };
      const { id } = oidcClient;
      const refused = [
        { azp: 'another-client' }, { azp: '' }, { azp: null }, { azp: [id] }, { aud: [id], azp: 'another-client' },
        { aud: [id, 'another-client'] }, { aud: [id, 'another-client'], azp: 'another-client' }, { aud: 'another-client' },
      ];
      for (const change of refused) {
        idp.tamper = tokenWith(change);
        isRefusedPage(await signIn(newPerson('acme:viewer')), 400, /could not be verified/);
      }
      for (const change of [{}, { azp: id }, { aud: [id, 'another-client'], azp: id }]) {
        idp.tamper = tokenWith(change);
        assert.equal((await signIn(newPerson('acme:viewer'))).status, 303, JSON.stringify(change));
      }
    });

    test('a provider that is away is reported, passwords still work, and it works again when it is back', async () => {
      await idp.pause();
      later += 7_200_000;
      const jar = new Jar();
      const begun = await platform.ask(start);
      assert.equal(begun.status, 303, 'what is known of it goes on');
      jar.take(begun.headers);
      const state = new URL(begun.headers.get('location')!).searchParams.get('state')!;
      const back = new URL(`${publicUrl}${callback}?code=x&state=${state}&iss=${encodeURIComponent(idp.issuer)}`);
      isRefusedPage(await comeBack(jar, back), 503, /does not answer/);
      const settings = settingsOf(idp);
      let nowMs = 0;
      const told: string[] = [];
      const fresh = createIdentityProvider({ settings, clock: () => nowMs, say: (sentence) => told.push(sentence) });
      await fresh.warm();
      assert.deepEqual(await fresh.begin(publicUrl + callback), { fault: 'away' });
      assert.equal(told.length, 1);
      assert.match(told[0]!, /SVC_OIDC_ISSUER cannot be used.*ECONNREFUSED/);
      await platform.signIn(acme.emails.owner);
      await idp.resume();
      nowMs += 5_000;
      assert.ok('location' in await fresh.begin(publicUrl + callback));
      assert.equal((await signIn(newPerson('acme:viewer'))).status, 303);
    });

    test('an issuer that names itself otherwise is not used', async () => {
      const told: string[] = [];
      const settings = { ...settingsOf(idp), issuer: idp.issuer.replace('127.0.0.1', 'localhost') };
      const other = createIdentityProvider({ settings, clock: () => 0, say: (sentence) => told.push(sentence) });
      assert.deepEqual(await other.begin(publicUrl + callback), { fault: 'away' });
      assert.match(told[0]!, /OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED/);
    });

    test('no answer and no line of the log contains the client\'s secret, a token or text of the provider', () => {
      // The browser that the token belongs to gets it, and takes it back to the provider.
      const everything = [...platform.said.map((line) => line.replace(/"goOnTo":"[^"]*"/, '')), ...said].join('\n');
      for (const secret of [oidcClient.secret, ...idp.idTokens, '<script>', 'not today']) assert.ok(!everything.includes(secret), secret);
      assert.ok(said.length > 0 && said.every((line) => line.length < 200), said.join('\n'));
      assert.deepEqual(platform.reports, []);
    });
  });
}

test('claims in the ID token, and a provider that takes its secret only in the body', async () => {
  const place = freshSqlite();
  const idp = await startIdentityProvider({ redirectUri: publicUrl + callback, claimsInIdToken: true, authMethod: 'client_secret_post' });
  const settings = settingsOf(idp);
  const provider = createIdentityProvider({ settings, clock: Date.now, say: (line) => assert.fail(line) });
  const begun = await provider.begin(publicUrl + callback);
  assert.ok('location' in begun);
  idp.people.set('ada', { email: 'ada@x.example', email_verified: true, groups: ['admin'] });
  idp.next = 'ada';
  const jar = new Jar();
  let at = new URL(begun.location);
  while (at.origin !== publicUrl) {
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie: jar.header } });
    jar.take(answer.headers);
    at = new URL(answer.headers.get('location') ?? /href="([^"]+)"/.exec(await answer.text())![1]!, at);
  }
  const finished = await provider.finish(at, begun.checks);
  assert.ok('claims' in finished);
  assert.deepEqual([finished.idToken], idp.idTokens);
  assert.deepEqual(finished.claims, { subject: 'ada', email: 'ada@x.example', emailVerified: true, roles: ['admin'] });
  await idp.close();
  place.remove();
});
