/**
 * What each person spent, and who the members are, is for admins and the person. A viewer and a member ask every operation that they may ask, on an
 * organization where it would show; nobody else's email, nobody's sum and no address that lets its reader in is in any answer. Decision 302.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import type { ServiceKeyId } from '@metergate/core/id.ts';
import { monthAfter, monthName, monthOf } from '@metergate/core/time/utc-month.ts';
import { sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { askedDimensions } from '../use-cases/usage.ts';
import { createUser } from '../use-cases/users.ts';
import { operations } from './app.ts';
import { standAtNoon } from '@metergate/testkit/clock.ts';
import { granted, password, platformOfFile, type Asked, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

// It counts the calls of this month.
standAtNoon();

let platform: PlatformFixture;
let acme: TestOrganization;
const hidden = 'hidden.person@elsewhere.example';
const thisMonth = monthOf(Date.now());
const lastMonth = monthOf(thisMonth - 1);
/** What they spent in each of both months, and in both: no key, project, model, day or team comes to it. */
const sums = [3_333_333_333n, 6_666_666_666n].map((sum) => `${sum / 1_000_000_000n}.${sum % 1_000_000_000n}`);
/** The hidden person's things, and those of the organization, by what paths call them. */
const things: Record<string, string> = {};
const cookies: Record<string, string> = {};

const asAdmin = async (method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await platform.ask(`/platform/v1${path}`, { method, token: acme.tokens.owner, ...(body === undefined ? {} : { body }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body;
};
const rulesWith = (people: readonly string[]) => ({ rules: [{ people, team: 'core' }, { keys: [things['theirs']!], team: 'core' }] });

platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
  granted(await createUser({ store: platform.store, randomBytes: platform.parts.randomBytes, nowMs: Date.now(), passwords: platform.parts.passwords },
    { organization: acme.id, email: hidden, password, role: 'admin' }));
  for (const role of ['viewer', 'member'] as const) cookies[role] = await platform.signIn(acme.emails[role]);
  const key = async (person: string) => String((await asAdmin('POST', '/keys', { person }))['id']);
  const [one, other] = [await key(hidden), await key(hidden)];
  things['theirs'] = await key(acme.emails.owner);
  const calls = [lastMonth + 86_400_000, Date.now()].flatMap((startedAtMs) => [[one, 1_111_111_111n, 'a'], [other, 2_222_222_222n, 'b'],
    [things['theirs']!, 123_456_789n, 'a'], [things['theirs']!, 98_765_431n, 'b']].map(([of, cost, name]) => sampleRecord(acme.id, {
    key: of as ServiceKeyId, cost: nanoDollars(cost as bigint), project: `p-${String(name)}`, model: `m-${String(name)}`, labels: [],
    run: `run-${String(name)}`, session: null, startedAtMs,
  })));
  await platform.store.calls.ship({ segment: 'seg_1', through: calls.length, records: calls.map((record, index) => ({ seq: index + 1, record })) });
  await platform.store.runs.open([{
    organization: acme.id, id: 'run-a', declared: null, effective: null, clampReason: null, startedAtMs: Date.now(), expiresAtMs: null,
    exposureLimit: null, mayCreate: true,
  }]);
  const cap = String((await asAdmin('POST', '/caps', { scope: 'person', person: hidden, window: 'month', limit: '50' }))['id']);
  await asAdmin('POST', '/caps', { scope: 'organization', window: 'month', limit: '50' });
  await asAdmin('POST', '/alerts', { cap, at: [80] });
  await asAdmin('POST', '/month-budgets', { scope: 'person', subject: hidden, amount: '40', at: [1] });
  const webhook = String((await asAdmin('POST', '/webhooks', { url: 'https://hooks.example.com/services/T0/let-me-in?a=let-me-in' }))['id']);
  await asAdmin('POST', `/webhooks/${webhook}/test`);
  await asAdmin('PUT', '/allocation', rulesWith([hidden]));
  await asAdmin('POST', `/months/${monthName(lastMonth)}/close`, { goOn: true });
  await asAdmin('POST', '/invitations', { email: 'hidden.guest@elsewhere.example', role: 'viewer' });
  Object.assign(things, {
    key: one, run: 'run-a', call: calls[0]!.id, webhook, organization: acme.id, assessment: String((await asAdmin('POST', '/assessments', {}))['id']),
  });
});

const range = `from=${new Date(lastMonth).toISOString()}&to=${new Date(monthAfter(thisMonth)).toISOString()}`;
const since = `since=${new Date(lastMonth).toISOString()}`;
const months = [monthName(lastMonth), monthName(thisMonth)].map((month) => `?month=${month}`);
const line = { amount: { value: 1, currency: 'usd' }, line_item: 'm-a, input' };
const bill = JSON.stringify({ data: [{ start_time: 1, end_time: 2, results: [line] }] });
const prices = { version: 1, models: [] };
/** Questions beside the plain one. */
const queries: Readonly<Record<string, readonly string[]>> = {
  showUsage: [...askedDimensions.filter((by) => by !== 'person').map((by) => `?by=${by}&${since}`), `?by=key,month&${since}&adjusted=true`],
  downloadUsage: [`?by=key&format=csv&${since}`, `?by=key&format=json&${since}`],
  exportCalls: ['jsonl', 'csv', 'focus'].map((format) => `?format=${format}&${range}`),
  find: ['hidden', 'core', 'key_', 'run-'].map((text) => `?text=${text}`),
  listBudgets: months, showStatement: [...months, ...months.map((month) => `${month}&by=team`)], exportReceipts: [`?${range}`],
  showStatementRows: months.flatMap((month) => ['project', 'model', 'key'].map((by) => `${month}&by=${by}`)),
  listCalls: [`?${since}`], showOverview: [`?${since}`], tryCap: [`?scope=organization&window=month&limit=1`],
};
const bodies: Readonly<Record<string, () => unknown>> = {
  tryAllocation: () => ({ month: monthName(lastMonth), allocation: { rules: [], rest: { team: 'core' } } }),
  reconcile: () => ({ provider: 'openai', file: bill }), repriceUsage: () => prices, setKey: () => ({ name: 'else' }),
  createKey: () => ({ name: 'own' }),
  saveView: () => ({ name: 'v', query: 'by=key' }), chooseOrganization: () => ({ organization: acme.id }),
};
const kinds: Readonly<Record<string, string>> = {
  '/keys/': 'key', '/runs/': 'run', '/calls/': 'call', '/webhooks/': 'webhook', '/organizations/': 'organization', '/assessments/': 'assessment',
};
const thingOf = (path: string): string => things[Object.entries(kinds).find(([start]) => path.startsWith(start))?.[1] ?? ''] ?? 'nothing';

/** What may be in no answer: nothing that a request of this test says. */
const secrets = ['hidden.', 'elsewhere.example', 'let-me-in', ...sums];

// What ends something comes last.
const asked = operations.filter(({ role, serviceKey }) => (role === 'viewer' || role === 'member') && serviceKey !== true)
  .toSorted((one, other) => Number(one.method === 'delete') - Number(other.method === 'delete'));
for (const { id, method, path, body, readsLong } of asked) {
  test(`${id} shows viewers and members nobody else's email and sum`, async () => {
    const filled = [monthName(lastMonth), monthName(thisMonth)].map((month) => path.replace('{month}', month).replace('{id}', thingOf(path)));
    const { viewer, member } = acme.tokens;
    for (const who of [{ token: viewer }, { cookie: cookies['viewer']! }, { token: member }, { cookie: cookies['member']! }]) {
      let answered = 0;
      for (const place of new Set(filled)) {
        for (const query of queries[id] ?? ['']) {
          const question: Asked = { method: method.toUpperCase(), ...who, ...(body === undefined ? {} : { body: bodies[id]?.() ?? {} }) };
          const { status, text } = await platform.ask(`/platform/v1${place}${query}`, question);
          if (status < 300) answered += 1;
          for (const secret of secrets) assert.ok(!text.includes(secret), `${place}${query} holds ${secret}: ${text}`);
        }
      }
      if ((method === 'get' || readsLong === true) && !silent.has(id)) assert.ok(answered > 0, `${id} answered nothing, so it proves nothing`);
    }
  });
}

/** They need something that this organization has not. */
const silent = new Set(['showMachineSignIn', 'showRefusal', 'repriceUsage']);

test('an admin sees all of it, so the test looks for what there is', async () => {
  const said = (await Promise.all(['/caps', '/month-budgets', '/webhooks', '/allocation', '/keys', `/months/${monthName(lastMonth)}/file`]
    .map(async (path) => (await platform.ask(`/platform/v1${path}`, { token: acme.tokens.admin })).text))).join('\n');
  for (const secret of secrets.slice(0, 4)) assert.ok(said.includes(secret), secret);
});

test('rules that name people are tried by admins alone', async () => {
  const tried = (token: string) => platform.ask('/platform/v1/allocation/try', {
    method: 'POST', token, body: { month: monthName(lastMonth), allocation: rulesWith(['hidden*']) },
  });
  assert.deepEqual([(await tried(acme.tokens.viewer)).status, (await tried(acme.tokens.member)).status, (await tried(acme.tokens.admin)).status],
    [403, 403, 200]);
});

test('nothing was answered with a fault', () => assert.deepEqual(platform.reports, []));
