/**
 * The platform's app on a real store of either engine, with two organizations, a member of each role and a token of each.
 * Time is the machine's, because the library uses it for sessions; no test waits.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { roles, type Role } from '@metergate/core/account/role.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { putNewStore, testMasterKey } from '@metergate/store/test-support/contract-fixture.ts';
import { createAttempts } from '../../auth/attempts.ts';
import { createSignInBounds } from '../../auth/sign-in-bounds.ts';
import { createSessions } from '../../auth/create-sessions.ts';
import { knownBrowsers } from '../../auth/known-browsers.ts';
import { Passwords } from '../../auth/passwords.ts';
import { createAskers } from '../askers.ts';
import { createToken } from '../../use-cases/management-tokens.ts';
import { isRefusal, type AdministrationRefusal } from '../../use-cases/refusal.ts';
import { createUser } from '../../use-cases/users.ts';
import { operations, platformApp } from '../app.ts';
import { createBodyBudget } from '../body-budget.ts';
import { trustedProxies } from '../client-address.ts';
import { apiRoot, refusalsOf } from '../describe.ts';
import type { PlatformParts } from '../parts.ts';

export const masterKey = testMasterKey;
export const password = 'correct horse battery';
/** Cheap: the tests of passwords check what a hash costs today. */
export const passwords = new Passwords({ N: 1_024, r: 8, p: 1 });

export interface TestOrganization {
  readonly id: OrganizationId;
  readonly name: string;
  readonly tokens: Readonly<Record<Role, string>>;
  readonly emails: Readonly<Record<Role, string>>;
}

export interface Asked {
  readonly method?: string;
  readonly token?: string;
  readonly cookie?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface PlatformFixture {
  readonly store: Store;
  readonly parts: PlatformParts;
  readonly app: ReturnType<typeof platformApp>;
  readonly reports: unknown[];
  /** Every status, header and body that was sent, to search for canaries. */
  readonly said: string[];
  ask(path: string, asked?: Asked): Promise<Answered>;
  organization(name: string): Promise<TestOrganization>;
  /** The cookie of a new session. */
  signIn(email: string, withPassword?: string): Promise<string>;
  end(): Promise<void>;
}

export interface FixtureOptions {
  readonly publicUrl?: string;
  readonly providerUrls?: PlatformParts['providerUrls'];
  /** Signing in by an identity provider; default: there is none. */
  readonly oidc?: (publicUrl: string) => PlatformParts['oidc'];
  /** The clock that decides when sessions end. Default: the machine's. */
  readonly clock?: () => number;
  /** How passwords are hashed. Default: cheaply. */
  readonly passwords?: Passwords;
}

/** How long sessions last that an identity provider vouched for. */
export const providedLifeMs = 12 * 3_600_000;

export function freshSqlite(): { readonly url: string; readonly remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-platform-'));
  return { url: `sqlite:${join(directory, 'store.db')}`, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** A platform on SQLite for the tests of one file: `begin` gets it before the first of them, and it ends after the last. Call it once, at the top. */
export function platformOfFile(begin: (platform: PlatformFixture) => Promise<void>, options: FixtureOptions = {}): void {
  const place = freshSqlite();
  let platform: PlatformFixture | null = null;
  before(async () => {
    platform = await platformFixture(place.url, options);
    await begin(platform);
  });
  after(async () => {
    await platform?.end();
    place.remove();
  });
}

/** On the store at `url`; at an address of SQLite where nothing is, on a new one. */
export async function platformFixture(
  url: string, {
    publicUrl = 'http://platform.test', providerUrls = { openai: 'http://127.0.0.1:9', anthropic: 'http://127.0.0.1:9' }, oidc = () => null,
    clock = Date.now, passwords: hashing = passwords,
  }: FixtureOptions = {},
): Promise<PlatformFixture> {
  const bytes = (n: number): Uint8Array => randomBytes(n);
  if (url.startsWith('sqlite:') && !existsSync(url.slice('sqlite:'.length))) await putNewStore(url);
  const store = await openStore({ url, masterKey, clock: Date.now, randomBytes: bytes, create: true });
  const reports: unknown[] = [];
  const said: string[] = [];
  const parts: PlatformParts = {
    store, reports: null, bills: null, clock: Date.now, randomBytes: bytes, publicUrl,
    gatewayUrl: 'http://gateway.test', sandbox: false, providerUrls, upstreamRules: { allow: [] }, trusted: trustedProxies([]),
    askers: createAskers(publicUrl), passwords: hashing, sessions: createSessions({ store, masterKey, publicUrl, clock, providedLifeMs }),
    bodies: createBodyBudget(), attempts: createAttempts(Date.now), signInBounds: createSignInBounds(Date.now),
    browsers: knownBrowsers(masterKey, Date.now),
    oidc: oidc(publicUrl),
    report: (fault) => reports.push(fault),
  };
  const app = platformApp(parts);
  const ask: PlatformFixture['ask'] = async (path, { method = 'GET', token, cookie, body, headers = {} } = {}) => {
    const response = await app.request(`${publicUrl}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(cookie === undefined ? {} : { cookie }), ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' || body instanceof Uint8Array ? body as string : JSON.stringify(body) }),
    });
    const text = await response.text();
    assertDocumented({ method, path }, response.status, text);
    said.push(`${response.status} ${[...response.headers].flat().join(' ')} ${text}`);
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    const parsed = (isJson && text !== '' ? JSON.parse(text) : {}) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, text, body: parsed };
  };
  const context = () => ({ store, randomBytes: bytes, nowMs: Date.now(), passwords: hashing });
  return {
    store, parts, app, reports, said, ask,
    async organization(name) {
      const made = granted(await store.organizations.create({ name, plan: 'team' }));
      const tokens: Partial<Record<Role, string>> = {};
      const emails: Partial<Record<Role, string>> = {};
      for (const role of roles) {
        emails[role] = `${role}@${name.replaceAll(/[^a-z0-9]/g, '-')}.example`;
        granted(await createUser(context(), { organization: made.id, email: emails[role]!, password, role }));
        tokens[role] = granted(await createToken(context(), { organization: made.id, role, maker: null })).token;
      }
      return { id: made.id, name, tokens: tokens as Record<Role, string>, emails: emails as Record<Role, string> };
    },
    async signIn(email, withPassword = password) {
      const answer = await ask('/platform/v1/auth/sign-in/email', { method: 'POST', body: { email, password: withPassword } });
      assert.equal(answer.status, 200, answer.text);
      return cookieOf(answer);
    },
    end: () => store.close(),
  };
}

/** Every answer that any test gets from an operation is one that the document names: its status, and an error by its code. */
function assertDocumented({ method, path }: { readonly method: string; readonly path: string }, status: number, text: string): void {
  const place = path.split('?', 1)[0]!;
  const asked = operations.find((each) => each.method === method.toLowerCase()
    && new RegExp(`^${apiRoot}${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(place));
  if (asked === undefined || status === (asked.status ?? 200)) return;
  const codes = refusalsOf(asked).get(status) ?? [];
  const code = status === 405 ? 'method_not_allowed' : (JSON.parse(text) as { error: { code: string } }).error.code;
  if (status !== 405) assert.ok(codes.includes(code), `the document of ${asked.id} does not name ${status} ${code}`);
}

/** `name=value` of the cookie that an answer sets. */
export function cookieOf({ headers }: Pick<Answered, 'headers'>): string {
  return headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

/** The result of something that must not be refused. */
export function granted<Result>(result: Result): Exclude<Result, AdministrationRefusal> {
  if (isRefusal(result)) throw new Error(`refused: ${result.refused.code}`);
  return result as Exclude<Result, AdministrationRefusal>;
}
