/**
 * A store that is away or cannot work: every operation answers 503 with a code and `Retry-After`, whoever asks, and again as always once it is back.
 * An answer never says that something was done which the store did not take.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { faultOf, type StoreFault } from '@metergate/store/engine/fault.ts';
import type { Store } from '@metergate/store/store.ts';
import { startPostgres, type OwnPostgres } from '@metergate/testkit/postgres.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import pg from 'pg';
import { operations, platformApp } from './app.ts';
import { apiRoot } from './describe.ts';
import type { Operation } from './operation.ts';
import { filled, shapeOf } from './test-support/filled.ts';
import { freshSqlite, password, platformFixture, type Asked, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

const signInPath = `${apiRoot}/auth/sign-in/email`;
const sessionPath = `${apiRoot}/auth/session`;

const shown = ({ status, headers, body }: Awaited<ReturnType<PlatformFixture['ask']>>): unknown[] =>
  [status, (body['error'] as { code?: string } | undefined)?.code, headers.get('retry-after')];
const unavailable = [503, 'unavailable', '2'];

/** A request of the operation's form. */
function requestOf({ method, path, params, query, body }: Operation, token: string): readonly [path: string, asked: Asked] {
  const names = Object.keys(shapeOf(params));
  const place = apiRoot + names.reduce((text, name) => text.replace(`{${name}}`, 'some-text'), path);
  const asked = new URLSearchParams(Object.entries(shapeOf(query))
    .filter(([, part]) => (part.def as { type: string }).type !== 'optional').map(([name, part]) => [name, String(filled(part, 'some-text'))]));
  return [asked.size === 0 ? place : `${place}?${asked}`, {
    method: method.toUpperCase(), token, headers: { 'sec-fetch-site': 'same-origin', origin: 'http://platform.test' },
    ...(body === undefined ? {} : { body: filled(body as never, 'some-text') }),
  }];
}

interface Failing {
  readonly store: Store;
  /** Methods that were called and failed. */
  readonly failed: () => number;
}

/** The store, which finds tokens and fails in everything else. */
function failing(store: Store, fault: StoreFault): Failing {
  let failed = 0;
  const fail = async (): Promise<never> => {
    failed += 1;
    throw fault;
  };
  const of = (own: Store): Store => new Proxy(own, {
    get(target, name) {
      if (name === 'acting') return (intent: Parameters<Store['acting']>[0]) => of(own.acting(intent));
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'object' || value === null) return value;
      return new Proxy(value, {
        get: (part, method) => (method === 'findByHash' && name === 'managementTokens' ? Reflect.get(part, method)
          : typeof Reflect.get(part, method) === 'function' ? fail : Reflect.get(part, method)),
      });
    },
  });
  return { store: of(store), failed: () => failed };
}

test('whatever an operation was about when the store failed, it answers 503, and 500 only to a defect', async (t) => {
  const place = freshSqlite();
  t.after(() => place.remove());
  const platform = await platformFixture(place.url);
  t.after(() => platform.end());
  const { tokens } = await platform.organization('acme');
  const sqlite = (errcode: number) => faultOf(Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode }), '/m.db') as StoreFault;
  const postgres = (code: string) => faultOf(Object.assign(new Error('x'), { code }), 'db:5432/m') as StoreFault;
  const faults: [fault: StoreFault, answer: readonly unknown[]][] = [
    [sqlite(13), unavailable], [sqlite(778), unavailable], [postgres('ECONNREFUSED'), unavailable], [postgres('57P01'), unavailable],
    [postgres('53300'), unavailable], [postgres('53100'), unavailable], [postgres('25006'), unavailable], [postgres('EMFILE'), unavailable],
    [postgres('42P01'), unavailable], [postgres('57014'), [503, 'busy', '2']], [postgres('40P01'), [503, 'busy', '2']],
    [sqlite(5), [503, 'busy', '2']], [sqlite(1), [500, 'internal_error', null]], [postgres('42703'), [500, 'internal_error', null]],
    [postgres('23505'), [500, 'internal_error', null]],
  ];
  const touched = new Set<string>();
  for (const [index, [fault, answer]] of faults.entries()) {
    const { store, failed } = failing(platform.store, fault);
    const app = platformApp({ ...platform.parts, store, sessions: platform.parts.sessions });
    // All of them with the first fault; with each other one, those that read most simply.
    for (const each of index === 0 ? operations : operations.filter(({ id }) => id === 'listCaps' || id === 'setCap' || id === 'signIn')) {
      const [path, { method = 'GET', token = '', headers, body }] = requestOf(each, tokens.owner);
      const before = failed();
      const response = await app.request(`http://platform.test${path}`, {
        method, headers: { ...headers, authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (failed() === before) continue;
      touched.add(each.id);
      const said = (await response.json()) as { error?: { code?: string } };
      assert.deepEqual([response.status, said.error?.code, response.headers.get('retry-after')], answer, `${each.id} on ${fault.message}`);
    }
  }
  assert.ok(touched.size > 60, `only ${touched.size} of ${operations.length} operations reached the store`);
});

let server: OwnPostgres;

before(async () => {
  server = await startPostgres();
});

after(() => server.stop());

interface OnServer {
  readonly platform: PlatformFixture;
  readonly acme: TestOrganization;
  /** Runs a statement as the server's owner. */
  readonly asOwner: (statement: string) => Promise<void>;
  /** The platform's own. */
  readonly role: string;
}

/** A platform whose role is not the server's owner, so that the server's bounds hold for it. */
async function platformOnServer(): Promise<OnServer> {
  const url = new URL(await server.createDatabase());
  const [owner, database] = [url.href, url.pathname.slice(1)];
  const role = `r_${database}`;
  const asOwner = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: owner });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await asOwner(`create role ${role} login password '${url.password}'`);
  await asOwner(`alter database ${database} owner to ${role}`);
  await asOwner(`alter schema public owner to ${role}`);
  const platform = await platformFixture(Object.assign(url, { username: role }).href);
  return { platform, acme: await platform.organization('acme'), asOwner, role };
}

test('while a server is stopped every operation is 503; afterwards sessions go on, and nobody is locked out', async (t) => {
  const { platform, acme } = await platformOnServer();
  t.after(() => platform.end());
  const cookie = await platform.signIn(acme.emails.owner);
  await server.pause();
  t.after(() => server.resume());
  for (const each of operations) {
    if (each.role === null) continue;
    const [path, asked] = requestOf(each, acme.tokens.owner);
    assert.deepEqual(shown(await platform.ask(path, asked)), unavailable, each.id);
  }
  assert.deepEqual(shown(await platform.ask(sessionPath, { cookie })), unavailable);
  // More often than a wrong password may be tried.
  const signIn = { method: 'POST', body: { email: acme.emails.admin, password } };
  for (let tried = 0; tried < 12; tried += 1) assert.deepEqual(shown(await platform.ask(signInPath, signIn)), unavailable);
  const out = await platform.ask(`${apiRoot}/auth/sign-out`, { method: 'POST', cookie, headers: { 'sec-fetch-site': 'same-origin' } });
  assert.deepEqual([shown(out), out.headers.getSetCookie()], [unavailable, []], 'the session goes on, so nobody is told that it has ended');
  await server.resume();
  await eventually(async () => (await platform.ask(sessionPath, { cookie })).status === 200);
  assert.equal((await platform.ask(signInPath, signIn)).status, 200);
  assert.equal((await platform.ask(sessionPath, { token: acme.tokens.viewer })).status, 200);
});

test('a server that takes no writes, or no more connections, is 503 for what it does not do, and comes back by itself', async (t) => {
  const { platform, acme, asOwner, role } = await platformOnServer();
  t.after(() => platform.end());
  const read = () => platform.ask(`${apiRoot}/keys`, { token: acme.tokens.owner });
  const change = () => platform.ask(`${apiRoot}/keys`, { method: 'POST', token: acme.tokens.owner, body: { name: 'k' } });
  const cutAll = () => asOwner(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
  await asOwner(`alter role ${role} set default_transaction_read_only = on`);
  await cutAll();
  await eventually(async () => (await read()).status === 200);
  assert.deepEqual(shown(await change()), unavailable);
  assert.equal((await read()).status, 200);
  await asOwner(`alter role ${role} reset default_transaction_read_only`);
  await eventually(async () => (await change()).status === 201);

  await asOwner(`alter role ${role} connection limit 0`);
  await cutAll();
  await eventually(async () => (await read()).status === 503);
  assert.deepEqual([shown(await read()), shown(await change())], [unavailable, unavailable]);
  await asOwner(`alter role ${role} connection limit -1`);
  assert.deepEqual([(await read()).status, (await change()).status], [200, 201]);
});
