/**
 * An email that nobody proved opens and reserves nothing, on both engines, against a real identity provider: an account cannot be taken over
 * before its owner comes; a proof ends the ways in that were made without it; whoever signed in by the provider can join; and no answer reveals
 * whether an email has an account elsewhere. Rule 16; decision 103.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newDatabase } from '@metergate/store/test-support/contract-fixture.ts';
import { oidcClient, startIdentityProvider, type TestIdentityProvider } from '@metergate/testkit/identity-provider.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { begunSignIns } from '../auth/oidc/begun-sign-in.ts';
import { createIdentityProvider } from '../auth/oidc/identity-provider.ts';
import { keptIdTokens } from '../auth/oidc/kept-id-token.ts';
import { derived, Passwords } from '../auth/passwords.ts';
import { inviteUser, makePasswordLink } from '../use-cases/users.ts';
import { comingBackFrom, Jar } from './test-support/browser.ts';
import {
  freshSqlite, granted, masterKey, platformFixture, providedLifeMs, type Answered, type PlatformFixture, type TestOrganization,
} from './test-support/platform-fixture.ts';

const publicUrl = 'https://platform.test';
const start = '/platform/v1/auth/oidc/start';
const own = 'a password of their own';
const chosen = 'chosen by somebody else';

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`proved emails on ${engine}`, () => {
    let server: TestPostgres | null = null;
    let remove = (): void => {};
    let idp: TestIdentityProvider;
    let platform: PlatformFixture;
    let [good, evil] = [{} as TestOrganization, {} as TestOrganization];
    let derivations = 0;
    let names = 0;
    before(async () => {
      const sqlite = freshSqlite();
      remove = sqlite.remove;
      if (engine === 'PostgreSQL') server = await testPostgres();
      idp = await startIdentityProvider({ redirectUri: `${publicUrl}/platform/v1/auth/oidc/callback` });
      const settings = {
        issuer: idp.issuer, clientId: oidcClient.id, clientSecret: oidcClient.secret, roleClaim: oidcClient.roleClaim, sessionMs: providedLifeMs,
        signOutThere: true, emailsTrusted: false,
      };
      platform = await platformFixture(server === null ? sqlite.url : await newDatabase(server), {
        publicUrl,
        passwords: new Passwords({ N: 1_024, r: 8, p: 1 }, (text, salt, cost) => {
          derivations += 1;
          return derived(text, salt, cost);
        }),
        oidc: () => ({
          provider: createIdentityProvider({ settings, clock: Date.now, say: () => {} }),
          begun: begunSignIns(masterKey, Date.now), idTokens: keptIdTokens(masterKey, Date.now, providedLifeMs),
        }),
      });
      good = await platform.organization('good');
      evil = await platform.organization('evil');
    });
    after(async () => {
      await platform?.end();
      await idp?.close();
      await server?.stop();
      remove();
    });

    const api = (path: string, method: string, more: object = {}): Promise<Answered> => platform.ask(`/platform/v1${path}`, { method, ...more });
    const context = () => {
      const { store, randomBytes, passwords } = platform.parts;
      return { store, randomBytes, passwords, nowMs: Date.now() };
    };
    const tokenIn = (url: unknown): string => String(url).split('#')[1]!;
    const newEmail = (): string => `victim${names += 1}@victims.example`;
    const invited = async (by: TestOrganization, email: string, role = 'viewer'): Promise<string> => {
      const made = await api('/invitations', 'POST', { token: by.tokens.owner, body: { email, role } });
      assert.equal(made.status, 201, made.text);
      return tokenIn(made.body['link']);
    };
    const invitedByOperator = async (to: TestOrganization, email: string | null, role = 'owner'): Promise<string> =>
      tokenIn(granted(await inviteUser(context(), { organization: to.id, email, role, by: null, publicUrl })).link);
    const accept = (token: string, email: string, password: string) => api('/auth/invitations/accept', 'POST', { body: { token, email, password } });
    const linkFor = async (email: string): Promise<string> => tokenIn(granted(await makePasswordLink(context(), { email, publicUrl })).url);
    const useLink = (token: string, password: string) => api('/auth/password-links/use', 'POST', { body: { token, password } });
    const signIn = (email: string, password: string) => api('/auth/sign-in/email', 'POST', { body: { email, password } });
    const jarOf = (answer: Answered): Jar => {
      const jar = new Jar();
      jar.take(answer.headers);
      return jar;
    };
    const provided = async (subject: string, claims: Record<string, unknown>, jar = new Jar()): Promise<Answered> => {
      idp.people.set(subject, claims);
      const begun = await platform.ask(start);
      jar.take(begun.headers);
      const back = await comingBackFrom(idp, subject, { location: begun.headers.get('location')!, publicUrl });
      const answer = await platform.ask(back.pathname + back.search, { headers: { cookie: jar.header } });
      jar.take(answer.headers);
      return answer;
    };
    const organizationsOf = async (jar: Jar): Promise<string[] | number> => {
      const answer = await api('/organizations', 'GET', { cookie: jar.header });
      return answer.status === 200 ? (answer.body['data'] as { name: string }[]).map(({ name }) => name).sort() : answer.status;
    };
    /** Lets somebody in whose email the provider did not verify, as an earlier version did. */
    const letInUnverified = async (subject: string, email: string, organization: TestOrganization): Promise<Jar> => {
      const jar = new Jar();
      const claims = { email: `first-${email}`, email_verified: true, groups: [`${organization.name}:admin`] };
      assert.equal((await provided(subject, claims, jar)).status, 303);
      const { id } = (await platform.store.people.withEmail(`first-${email}`))[0]!;
      await platform.store.accounts.update('user', [{ field: 'id', value: id }], { email: id, claimedEmail: email, emailVerified: false });
      await platform.store.accounts.update('account', [{ field: 'userId', value: id }], { proof: 0 });
      return jar;
    };

    test('somebody who signs in with another person\'s unverified email is refused at the first step, and the email stays free', async () => {
      const email = newEmail();
      const jar = new Jar();
      const refused = await provided('thief-1', { email, email_verified: false, groups: ['evil:viewer'] }, jar);
      assert.equal(refused.status, 403);
      assert.match(refused.text, /does not say that your email address was verified/);
      assert.deepEqual([await organizationsOf(jar), await platform.store.people.withEmail(email)], [401, []]);
      const joined = await accept(await invitedByOperator(good, email), email, own);
      assert.equal(joined.status, 201, joined.text);
      assert.equal((await provided('thief-1', { email, email_verified: false, groups: ['evil:viewer'] }, jar)).status, 403);
      assert.deepEqual(await organizationsOf(jarOf(joined)), ['good']);
    });

    test('a person whom an earlier version let in that way is out once the owner of the email has proved it, with all that they made', async () => {
      for (const proof of ['password link', 'verified sign-in', 'invitation'] as const) {
        const email = newEmail();
        const subject = `thief of ${email}`;
        const thief = await letInUnverified(subject, email, evil);
        const token = await api('/tokens', 'POST', { cookie: thief.header, body: { role: 'admin' } });
        const open = await api('/invitations', 'POST', { cookie: thief.header, body: { email: newEmail(), role: 'admin' } });
        assert.deepEqual([token.status, open.status], [201, 201]);
        const owner = new Jar();
        if (proof === 'verified sign-in') {
          assert.equal((await provided(`owner of ${email}`, { email, email_verified: true, groups: ['good:viewer'] }, owner)).status, 303);
          assert.deepEqual(await organizationsOf(owner), ['good']);
        } else {
          const invitation = await invitedByOperator(good, email);
          if (proof === 'password link') owner.take((await useLink(await linkFor(email), own)).headers);
          const joined = await accept(invitation, email, own);
          assert.equal(joined.status, 201, joined.text);
          owner.take(joined.headers);
          assert.deepEqual(await organizationsOf(owner), ['good'], 'and nothing of what the thief was given');
        }
        assert.equal(await organizationsOf(thief), 401, proof);
        assert.equal((await api('/members', 'GET', { token: String(token.body['token']) })).status, 401, proof);
        assert.equal((await accept(tokenIn(open.body['link']), 'friend@thieves.example', own)).status, 404, proof);
        assert.equal((await provided(subject, { email, email_verified: false, groups: ['evil:viewer'] }, new Jar())).status, 403);
        const elsewhere = new Jar();
        assert.equal((await provided(subject, { email: `own-${email}`, email_verified: true, groups: ['evil:viewer'] }, elsewhere)).status, 303);
        assert.deepEqual(await organizationsOf(elsewhere), ['evil'], 'they come back as themselves alone');
      }
    });

    test('an account that an organization made for an email that it does not own opens nothing of the owner\'s, who joins apart', async () => {
      const email = newEmail();
      const thief = jarOf(await accept(await invited(evil, email, 'owner'), email, chosen));
      const link = await api(`/members/${(await platform.store.people.withEmail(email))[0]!.id}/password-link`, 'POST', { token: evil.tokens.owner });
      assert.equal((await useLink(tokenIn(link.body['url']), chosen)).status, 200, 'they prove it to themselves');
      const joined = await accept(await invited(good, email, 'owner'), email, own);
      assert.equal(joined.status, 201, joined.text);
      assert.deepEqual(await organizationsOf(jarOf(joined)), ['good']);
      assert.deepEqual(await organizationsOf(jarOf(await signIn(email, chosen))), ['evil']);
      assert.deepEqual(await organizationsOf(jarOf(await signIn(email, own))), ['good']);
      const verified = new Jar();
      assert.equal((await provided(`owner of ${email}`, { email, email_verified: true, groups: ['good:viewer'] }, verified)).status, 303);
      assert.deepEqual(await organizationsOf(verified), ['evil', 'good'], 'a proof gathers what was given to the email');
      assert.deepEqual([(await signIn(email, chosen)).status, (await signIn(email, own)).status, await organizationsOf(thief)], [401, 401, 401]);
    });

    test('joining by a link is answered alike, with as much hashing, whether or not the email has an account elsewhere', async () => {
      const [nobody, claimed, held] = [newEmail(), newEmail(), newEmail()];
      assert.equal((await accept(await invited(good, claimed), claimed, own)).status, 201);
      assert.equal((await accept(await invitedByOperator(good, held), held, own)).status, 201);
      const byProvider = newEmail();
      assert.equal((await provided('by provider', { email: byProvider, email_verified: true, groups: ['good:viewer'] })).status, 303);
      const answers: unknown[] = [];
      for (const email of [nobody, claimed, held, byProvider]) {
        const token = await invited(evil, email);
        const before = derivations;
        const answer = await accept(token, email, chosen);
        const hashed = derivations - before;
        const { id: _, createdAt: __, email: shown, ...rest } = answer.body;
        const headers = [...answer.headers].map(([name, value]) => [name, name === 'set-cookie' ? value.replace(/=[^;]+/, '') : value]);
        assert.equal(shown, email);
        const opened = [await organizationsOf(jarOf(answer)), (await signIn(email, 'not the password')).text];
        const guessed = derivations - before;
        answers.push([answer.status, rest, headers.filter(([name]) => name !== 'content-length'), hashed, opened, guessed]);
      }
      assert.deepEqual(answers.slice(1), [answers[0], answers[0], answers[0]]);
      assert.deepEqual(answers[0], [...(answers[0] as unknown[]).slice(0, 3), 1, [['evil'], (answers[0] as unknown[][])[4]![1]], 2]);
      const twice = await accept(await invited(evil, nobody), nobody, 'another password yet');
      assert.deepEqual([twice.status, (twice.body['error'] as { code: string }).code], [409, 'already_member'], 'here it may say so');
    });

    test('a person who came by the provider joins with their session, by a link for their email alone, and with the link in hand only', async () => {
      const [email, other] = [newEmail(), newEmail()];
      const jar = new Jar();
      await provided('joining', { email, email_verified: true, groups: ['good:viewer'] }, jar);
      const join = (token: string, cookie = jar.header, more = {}) => api('/auth/invitations/accept', 'POST', { cookie, body: { token, ...more } });
      const foreign = await invited(evil, other);
      assert.equal((await join(foreign)).status, 404, 'it is for another email');
      const token = await invited(evil, email, 'member');
      assert.equal((await join(token, 'none=1')).status, 401);
      assert.equal((await join(token, jar.header, { email })).status, 400);
      assert.equal((await api('/auth/invitations/accept', 'POST', {
        cookie: jar.header, body: { token }, headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      })).status, 403);
      const joined = await join(token);
      assert.deepEqual([joined.status, joined.body['role'], joined.body['organization']], [201, 'member', evil.id]);
      jar.take(joined.headers);
      assert.deepEqual(await organizationsOf(jar), ['evil', 'good']);
      assert.equal((await api('/auth/session', 'GET', { cookie: jar.header })).body['role'], 'member');
      assert.equal((await join(token)).status, 404, 'once');
    });

    test('a sign-in by email does not become slower, and no better guessed, by people who claim the email', async () => {
      const email = newEmail();
      await accept(await invitedByOperator(good, email), email, own);
      await accept(await invited(evil, email), email, chosen);
      for (const [password, status] of [[own, 200], [chosen, 200], ['neither of the two', 401]] as const) {
        const before = derivations;
        assert.deepEqual([(await signIn(email, password)).status, derivations - before], [status, 1]);
      }
      for (let time = 0; time < 9; time += 1) {
        await signIn(email, `guess number ${time} of many`);
        if (time < 8) assert.equal((await signIn(email, chosen)).status, 200);
      }
      assert.equal((await signIn(email, own)).status, 429, 'signing in with a password of their own gives no further guesses');
    });

    test('strangers behind the same address use up the tries at an account, and not those of its own browser', async () => {
      const email = newEmail();
      const [mine, theirs] = [new Jar(), new Jar()];
      const signInFrom = (jar: Jar, password: string) => api('/auth/sign-in/email', 'POST', { cookie: jar.header, body: { email, password } });
      mine.take((await accept(await invitedByOperator(good, email), email, own)).headers);
      theirs.take((await accept(await invited(evil, email), email, chosen)).headers);
      for (let time = 0; time < 12; time += 1) await signIn(email, `guess number ${time} of many`);
      assert.equal((await signIn(email, own)).status, 429, 'a browser that is new');
      assert.equal((await signInFrom(mine, own)).status, 200);
      // Who claims the email has a browser of their own with it, and it opens their own account alone.
      assert.equal((await signInFrom(theirs, own)).status, 401);
      assert.equal((await signInFrom(theirs, chosen)).status, 200);
      for (let time = 0; time < 10; time += 1) await signInFrom(theirs, `guess number ${time} of more`);
      assert.equal((await signInFrom(theirs, chosen)).status, 429, 'its tries are bounded too');
      assert.equal((await signInFrom(mine, own)).status, 200);
    });

    test('the operator\'s link for an email is good for whoever opens it, and one without an email proves none', async () => {
      const email = newEmail();
      const first = await accept(await invitedByOperator(evil, null), email, chosen);
      assert.equal(first.status, 201, 'an email that is only typed is only claimed');
      const joined = await accept(await invitedByOperator(good, email), email, own);
      assert.deepEqual(await organizationsOf(jarOf(joined)), ['evil', 'good']);
      assert.deepEqual([(await signIn(email, chosen)).status, await organizationsOf(jarOf(first))], [401, 401]);
      const again = await accept(await invitedByOperator(evil, email), email, 'the newest of all passwords');
      assert.deepEqual([again.status, again.body['id'], (await signIn(email, own)).status], [201, joined.body['id'], 401]);
    });

    test('people see every way into their account and end each, keep one to sign in with, and reach nobody else\'s', async () => {
      const email = newEmail();
      const jar = new Jar();
      const other = new Jar();
      await provided('ways', { email, email_verified: true, groups: ['good:admin'] }, jar);
      other.take((await useLink(await linkFor(email), own)).headers);
      await provided('ways', { email, email_verified: true, groups: ['good:admin'] }, jar);
      const token = await api('/tokens', 'POST', { cookie: jar.header, body: { role: 'viewer', name: 'ci' } });
      const waysOf = async (cookie: string) => (await api('/auth/ways-in', 'GET', { cookie })).body['data'] as
        { id: string; kind: string; current: boolean; issuer: string | null; name: string | null }[];
      const end = (id: string, cookie = jar.header) => api(`/auth/ways-in/${encodeURIComponent(id)}`, 'DELETE', { cookie });
      const ways = await waysOf(jar.header);
      assert.deepEqual(ways.map(({ kind, current }) => `${kind}${current ? ' current' : ''}`).sort(),
        ['identity', 'password', 'session', 'session current', 'token']);
      const idOf = (kind: string, current = false): string => ways.find((way) => way.kind === kind && way.current === current)!.id;
      assert.deepEqual(ways.filter(({ issuer }) => issuer !== null).map(({ kind, issuer }) => [kind, issuer]).sort(),
        [['identity', idp.issuer], ['session', idp.issuer]]);
      const stranger = jarOf(await accept(await invited(evil, newEmail()), `victim${names}@victims.example`, chosen));
      for (const { id } of ways) assert.equal((await end(id, stranger.header)).status, 404);
      assert.deepEqual((await api('/auth/ways-in', 'GET', { token: good.tokens.owner })).body, { data: [] });
      assert.equal((await api(`/auth/ways-in/${idOf('token')}`, 'DELETE', { token: good.tokens.owner })).status, 404);
      assert.equal((await end(idOf('token'))).status, 200);
      assert.equal((await api('/caps', 'GET', { token: String(token.body['token']) })).status, 401);
      assert.equal((await end(idOf('session'))).status, 200);
      assert.equal(await organizationsOf(other), 401);
      const again = jarOf(await signIn(email, own));
      assert.equal((await end(idOf('password'))).status, 200);
      assert.deepEqual([await organizationsOf(again), (await signIn(email, own)).status, await organizationsOf(jar)], [401, 401, ['good']]);
      const last = await end(idOf('identity'));
      assert.deepEqual([last.status, (last.body['error'] as { code: string }).code], [409, 'last_way_in']);
      assert.equal((await end(idOf('session', true))).status, 200);
      assert.equal(await organizationsOf(jar), 401);
      const told = (await platform.store.audit.list({ organization: good.id, action: 'endWayIn', limit: 9 }))!;
      assert.deepEqual(told.map(({ subject }) => subject), ['session', 'password', 'session', 'token'].map((kind, index) => idOf(kind, index === 0)));
    });

    test('nothing was answered with a fault', () => assert.deepEqual(platform.reports, []));
  });
}
