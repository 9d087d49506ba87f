/**
 * Every operation that changes something leaves an audit row that says who, what and on which subject; refused and reading
 * operations leave none; no row and no byte of the store holds a secret that was sent or shown. Rules: Roles.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { operations } from './app.ts';
import { cookieOf, freshSqlite, platformFixture, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

const place = freshSqlite();
const canary = (what: string): string => `CANARY-${what}-0123456789`;
let platform: PlatformFixture;
let acme: TestOrganization;
const provider = createServer((_request, response) => response.end('{}'));
before(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  platform = await platformFixture(place.url, { providerUrls: { openai: url, anthropic: url } });
  acme = await platform.organization('acme');
});
after(async () => {
  provider.close();
  await platform.end();
  place.remove();
});

interface Row {
  readonly organization: string;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly subject: string | null;
  readonly detail: Record<string, unknown>;
}
const trail = async (): Promise<Row[]> =>
  (await platform.ask('/platform/v1/audit?limit=1000', { token: acme.tokens.owner })).body['data'] as Row[];

/**
 * No changes of the organization: beginning or ending a session, and switching its organization; a person's own views; test calls; a machine
 * that signs in, until it takes its key.
 */
const noChange = new Set(['signIn', 'signOut', 'chooseOrganization', 'testProvider', 'reconcile', 'repriceUsage', 'tryAllocation',
  'saveView', 'removeView', 'makeTestCall', 'beginMachineSignIn', 'findMachineSignIn', 'allowMachineSignIn', 'refuseMachineSignIn']);

/** The same change, made another way, has the same name. */
const namedOtherwise: Readonly<Record<string, string>> = {
  closeOwnRun: 'closeRun', makeMemberPasswordLink: 'makePasswordLink', takeMachineKey: 'createKey', endOwnKey: 'revokeKey',
};

test('every operation that changes something leaves a row by its own name, and no secret in it', async () => {
  const secrets: string[] = [];
  const ask = async (path: string, method: string, body?: unknown, cookie?: string) => {
    const who = cookie === undefined ? { token: acme.tokens.owner } : { cookie };
    const answer = await platform.ask(`/platform/v1${path}`, { method, ...who, ...(body === undefined ? {} : { body }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    for (const name of ['key', 'token', 'grant', 'secret']) {
      const shown = answer.body[name];
      // A signing key of receipts is named by its id.
      if (typeof shown === 'string' && !shown.startsWith('rky_')) secrets.push(shown);
    }
    return answer;
  };
  const id = async (...given: Parameters<typeof ask>): Promise<string> => String((await ask(...given)).body['id']);

  const key = await id('/keys', 'POST', { name: 'n' });
  await ask(`/keys/${key}`, 'PATCH', { name: 'renamed' });
  await ask(`/keys/${key}/rotate`, 'POST', { graceSeconds: 0 });
  await ask(`/keys/${key}`, 'DELETE');
  await ask(`/organizations/${acme.id}`, 'PATCH', { drainSeconds: 5 });
  await ask('/providers/openai', 'PUT', { credential: canary('provider') });
  await ask('/providers/openai/test', 'POST');
  await ask('/providers/openai', 'DELETE');
  await ask('/upstream', 'PUT', { url: 'https://llm.example.com', credential: canary('upstream') });
  await ask('/upstream/enable', 'POST');
  await ask('/upstream/disable', 'POST');
  await ask('/upstream', 'DELETE');
  await ask('/upstreams/azure', 'PUT', { url: 'https://llm.example.com', credential: canary('upstream'), auth: 'api-key' });
  await ask('/upstreams/azure/enable', 'POST');
  await ask('/upstreams/azure/disable', 'POST');
  await ask('/upstreams/azure', 'DELETE');
  await ask(`/caps/${await id('/caps', 'POST', { scope: 'organization', window: 'day', limit: '5' })}`, 'DELETE');
  const alerted = await id('/caps', 'POST', { scope: 'organization', window: 'month', limit: '5' });
  await ask(`/alerts/${await id('/alerts', 'POST', { cap: alerted, at: [50] })}`, 'DELETE');
  await ask(`/month-budgets/${await id('/month-budgets', 'POST', { scope: 'organization', amount: '5' })}`, 'DELETE');
  const webhook = await id('/webhooks', 'POST', { url: 'https://hooks.example.com/metergate' });
  await ask(`/webhooks/${webhook}/test`, 'POST');
  await ask(`/webhooks/${webhook}`, 'DELETE');
  const line = { amount: { value: 1, currency: 'usd' }, line_item: 'gpt-6, input' };
  const bill = JSON.stringify({ data: [{ start_time: 1, end_time: 2, results: [line] }] });
  const recorded = await ask('/corrections', 'POST', { provider: 'openai', file: bill });
  await ask(`/corrections/${(recorded.body['corrections'] as { id: string }[])[0]!.id}`, 'DELETE');
  await ask('/allocation', 'PUT', { rules: [{ byLabel: 'team:*' }] });
  await ask('/allocation', 'DELETE');
  await ask('/months/2026-01/close', 'POST', {});
  await ask('/months/2026-01/reopen', 'POST');
  await ask('/receipt-keys/rotate', 'POST');
  await ask('/run-grants', 'POST', { run: 'r', max: '1', expiresInSeconds: 60 });
  await platform.store.runs.open([{
    organization: acme.id, id: 'r1', declared: null, effective: null, clampReason: null, startedAtMs: Date.now(), expiresAtMs: null,
    exposureLimit: null, mayCreate: true,
  }]);
  await ask('/runs/r1/close', 'POST');
  await ask(`/tokens/${await id('/tokens', 'POST', { role: 'viewer' })}`, 'DELETE');
  const withdrawn = await ask('/invitations', 'POST', { email: 'x@acme.example', role: 'viewer' });
  await ask(`/invitations/${String(withdrawn.body['id'])}`, 'DELETE');
  const invited = await ask('/invitations', 'POST', { email: 'guest@acme.example', role: 'viewer' });
  const token = String(invited.body['link']).split('#')[1]!;
  secrets.push(token, String(withdrawn.body['link']).split('#')[1]!);
  const joined = await ask('/auth/invitations/accept', 'POST', { token, email: 'guest@acme.example', password: canary('password') });
  const changed = await ask('/auth/change-password', 'POST', { currentPassword: canary('password'), newPassword: canary('new') }, cookieOf(joined));
  secrets.push(decodeURIComponent(cookieOf(changed).split('=')[1]!).split('.')[0]!);
  const ways = (await ask('/auth/ways-in', 'GET', undefined, cookieOf(changed))).body['data'] as { id: string; kind: string }[];
  await ask(`/auth/ways-in/${ways.find(({ kind }) => kind === 'session')!.id}`, 'DELETE', undefined, cookieOf(changed));
  await ask(`/members/${String(joined.body['id'])}`, 'PATCH', { role: 'member' });
  const linked = await ask(`/members/${String(joined.body['id'])}/password-link`, 'POST');
  const linkToken = String(linked.body['url']).split('#')[1]!;
  secrets.push(linkToken);
  await ask('/auth/password-links/use', 'POST', { token: linkToken, password: canary('linked') }, '');
  await ask(`/members/${String(joined.body['id'])}`, 'DELETE');
  const baseline = await id('/assessments', 'POST', {});
  await ask(`/assessments/${baseline}/tap-key`, 'GET');
  await ask(`/assessments/${baseline}/tap-key/rotate`, 'POST');
  await ask(`/assessments/${baseline}/declared`, 'POST', { name: 'invoice', usd: '12.50' });
  await ask(`/assessments/${baseline}/retire`, 'POST');

  const rows = await trail();
  const expected = operations.filter(({ id: name, method, consuming }) => (method !== 'get' || consuming === true) && !noChange.has(name))
    .map(({ id: name }) => namedOtherwise[name] ?? name).filter((name) => name !== 'eraseOrganization');
  assert.deepEqual(expected.filter((name) => !rows.some(({ action }) => action === name)), [], 'these left no row');
  assert.deepEqual(rows.filter(({ action }) => action !== 'changePassword' && !expected.includes(action)), []);
  const made = rows.find(({ action }) => action === 'createKey')!;
  assert.deepEqual(rows.find(({ action }) => action === 'recordCorrections')!.detail, { provider: 'openai' }, 'without the file');
  assert.deepEqual([made.actor.kind, made.subject, made.detail], ['token', key, { name: 'n' }]);
  for (const row of rows) {
    assert.ok(row.organization === acme.id && row.subject !== null && row.actor.id !== null && row.actor.name !== null, row.action);
  }
  const ownChanges = ['acceptInvitation', 'changePassword', 'usePasswordLink'];
  const byGuest = rows.filter(({ action }) => ownChanges.includes(action)).map(({ actor }) => actor);
  const guest = { kind: 'person', id: joined.body['id'], name: 'guest@acme.example' };
  assert.deepEqual(byGuest, [guest, guest, guest]);
  assert.equal(rows.find(({ action }) => action === 'revokeKey')!.subject, key);

  secrets.push(canary('provider'), canary('upstream'), canary('password'), canary('new'), canary('linked'), ...Object.values(acme.tokens));
  assert.ok(secrets.length > 12 && secrets.every((secret) => secret.length >= 20), 'the canaries are there to be found');
  const folder = dirname(place.url.slice('sqlite:'.length));
  const bytes = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'latin1')).join('');
  for (const secret of secrets) {
    const raw = Buffer.from(secret);
    for (const form of [secret, raw.toString('hex'), raw.toString('base64')]) assert.ok(!bytes.includes(form), secret);
    assert.ok(!JSON.stringify(rows).includes(secret));
  }
});

test('refused requests and reads leave no row', async () => {
  const before = (await trail()).length;
  for (const [path, method, body] of [
    ['/keys/unknown', 'DELETE', undefined], ['/keys', 'POST', { name: ' spaced ' }], ['/caps', 'POST', { scope: 'galaxy' }],
    ['/keys', 'GET', undefined], ['/tokens', 'POST', { role: 'king' }], ['/upstream/enable', 'POST', undefined],
  ] as const) await platform.ask(`/platform/v1${path}`, { method, token: acme.tokens.owner, ...(body === undefined ? {} : { body }) });
  await platform.ask('/platform/v1/caps', { method: 'POST', token: acme.tokens.viewer, body: { scope: 'organization', window: 'day', limit: '1' } });
  assert.equal((await trail()).length, before);
});

test('erasing is the last row, and stays with no words in the others', async () => {
  const erased = await platform.ask(`/platform/v1/organizations/${acme.id}`, { method: 'DELETE', token: acme.tokens.owner });
  assert.equal(erased.status, 200, erased.text);
  const rows = (await platform.store.audit.list({ organization: acme.id, limit: 1_000 }))!;
  assert.equal(rows[0]!.action, 'eraseOrganization');
  assert.ok(rows.every(({ detail, actor, subject }) => Object.keys(detail).length === 0 && actor.name === null && subject !== 'r1'));
});
