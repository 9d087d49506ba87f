/**
 * Alerts and webhooks on a real store against real receivers: sent once, signed so that the published library accepts them, retried with the
 * same id, never sent to a private address; receivers that are slow, down, and redirecting.
 */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createPeer, type AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { monthAfter } from '@metergate/core/time/utc-month.ts';
import { createAddressGuard } from '@metergate/store/network/address-guard.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { understoodEvent } from '@metergate/core/tap/test-support/sample-event.ts';
import { Webhook } from 'standardwebhooks';
import { freshSqlite, granted, platformFixture, type PlatformFixture, type TestOrganization } from '../http/test-support/platform-fixture.ts';
import { removeBudget, setBudget } from '../use-cases/budgets/month-budgets.ts';
import { createWebhook, listDeliveries, removeWebhook, testWebhook } from '../use-cases/webhooks/webhooks.ts';
import { createNoticeWork, type NoticeWork } from './notice-work.ts';
import { postNotice } from './post-notice.ts';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Null: it never answers. */
  answer: { readonly status: number; readonly headers?: Record<string, string> } | null;
}

const place = freshSqlite();
const servers: Server[] = [];
let context: PlatformFixture;
let one: TestOrganization;
let work: NoticeWork;
let nowMs = Date.now();
const allow = ['127.0.0.0/8'];

async function receiver(): Promise<Receiver> {
  const made: { -readonly [N in keyof Receiver]: Receiver[N] } = { url: '', received: [], answer: { status: 204 } };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => { body += text; }).on('end', () => {
      made.received.push({ headers: request.headers, body });
      if (made.answer !== null) response.writeHead(made.answer.status, made.answer.headers).end('an answer');
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?of=metergate`;
  return made;
}

const useCases = () => ({ store: context.store, randomBytes: context.parts.randomBytes, nowMs });
/** `deadlineMs`: short where a receiver never answers, else longer than any busy machine takes. */
const workOn = (guard = createAddressGuard({ allow: parseAddressRanges(allow) }), holder = 'plt_test', deadlineMs = 60_000) =>
  createNoticeWork({ store: context.store, guardOf: () => guard, clock: () => nowMs, holder, deadlineMs });
async function passed(on: NoticeWork = work): Promise<void> {
  await on.pass();
  await on.idle();
}
const hook = async (url: string, events: null | ['cap.threshold'] = null) =>
  granted(await createWebhook(useCases(), { organization: one.id, url, events }, { allow }));
let segments = 0;
const spend = (
  dollars: number, organization: OrganizationId = one.id, startedAtMs = nowMs, beside: readonly Partial<CallRecord>[] = [],
): Promise<void> => context.store.calls.ship(batchOf(`seg_notice_${++segments}`, [
  { cost: nanoDollars(BigInt(dollars) * 1_000_000_000n) }, ...beside,
].map((given) => sampleRecord(organization, { startedAtMs, ...given }))));
const types = ({ received }: Receiver): string[] => received.map(({ body }) => (JSON.parse(body) as { type: string }).type);

before(async () => {
  context = await platformFixture(place.url);
  one = await context.organization('one');
  work = workOn();
});
after(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await context?.end();
  place.remove();
});

test('each threshold of a cap is sent once a window, and reached and reset are sent and audited', async () => {
  const token = one.tokens.admin;
  const all = await receiver();
  const some = await receiver();
  const made = await hook(all.url);
  await hook(some.url, ['cap.threshold']);
  const cap = await context.ask('/platform/v1/caps', { method: 'POST', token, body: { scope: 'organization', window: 'day', limit: '10' } });
  await context.ask('/platform/v1/alerts', { method: 'POST', token, body: { cap: cap.body.id, at: [100, 50, 50, 80] } });
  await spend(6, one.id, nowMs, [
    { cost: null, usage: 'unknown', costSource: 'none' }, { cost: null, costSource: 'unpriced' }, { cost: null, costSource: 'unpriced' },
    { cost: nanoDollars(0n), costGaps: ['web_search'] },
  ]);
  await passed();
  await passed();
  assert.deepEqual([types(all), types(some)], [['cap.threshold'], ['cap.threshold']]);
  const { headers, body } = all.received[0]!;
  const { type, timestamp, data } = JSON.parse(body) as { type: string; timestamp: string; data: Record<string, unknown> };
  assert.deepEqual(data, {
    cap: cap.body.id, scope: 'organization', window: 'day', threshold: 50, spent: '6.000000000', limit: '10.000000000',
    windowStartsAt: new Date(Math.floor(nowMs / 86_400_000) * 86_400_000).toISOString(), unknownCalls: 1, unpricedCalls: 2, gapCalls: 1,
  });
  assert.deepEqual([type, Number.isNaN(Date.parse(timestamp))], ['cap.threshold', false]);
  assert.deepEqual(new Webhook(made.secret).verify(body, headers as Record<string, string>), JSON.parse(body));
  assert.throws(() => new Webhook(made.secret).verify(`${body} `, headers as Record<string, string>));
  await spend(5);
  await passed();
  assert.deepEqual(types(all).slice(1).sort(), ['cap.reached', 'cap.threshold', 'cap.threshold']);
  nowMs += 86_400_000;
  await passed();
  assert.deepEqual(types(all).slice(4), ['cap.reset']);
  const audit = await context.ask('/platform/v1/audit', { token });
  const actions = (audit.body.data as { action: string }[]).map(({ action }) => action);
  assert.deepEqual(actions.filter((each) => each.startsWith('capRe')), ['capReset', 'capReached']);
});

test('a receiver that fails is tried again within ten seconds with the same id, until it accepts', async () => {
  const failing = await receiver();
  failing.answer = { status: 500 };
  const made = await hook(failing.url);
  granted(await testWebhook(useCases(), made.id));
  await passed();
  failing.answer = { status: 200 };
  await passed();
  assert.equal(failing.received.length, 1);
  nowMs += 10_000;
  await passed();
  const ids = failing.received.map(({ headers }) => headers['webhook-id']);
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
  const [delivery] = granted(await listDeliveries(useCases(), made.id));
  assert.deepEqual([delivery!.state, delivery!.attempts, delivery!.status, delivery!.nextAttemptAt], ['delivered', 2, 200, null]);
  granted(await removeWebhook(useCases(), made.id));
});

test('a slow receiver is given up after the deadline and delays nobody; one that is down is reported as such', async () => {
  const [slow, well, down] = [await receiver(), await receiver(), await receiver()];
  slow.answer = null;
  await new Promise((resolve) => { servers.at(-1)!.close(resolve); });
  const made = [await hook(slow.url), await hook(well.url), await hook(down.url)];
  for (const { id } of made) granted(await testWebhook(useCases(), id));
  await passed(workOn(undefined, 'plt_test', 3_000));
  const logs = await Promise.all(made.map(async ({ id }) => granted(await listDeliveries(useCases(), id))[0]!));
  assert.deepEqual(logs.map(({ state, error }) => [state, error]), [
    ['pending', 'it did not answer in time'], ['delivered', null], ['pending', 'the connection failed (ECONNREFUSED)'],
  ]);
  for (const { id } of made) granted(await removeWebhook(useCases(), id));
});

test('after the last attempt it has failed for good', async () => {
  const failing = await receiver();
  failing.answer = { status: 503 };
  const made = await hook(failing.url);
  granted(await testWebhook(useCases(), made.id));
  for (let time = 0; time < 12; time++) {
    await passed();
    nowMs += 25 * 3_600_000;
  }
  const [delivery] = granted(await listDeliveries(useCases(), made.id));
  assert.deepEqual([delivery!.state, delivery!.attempts, failing.received.length], ['failed', 8, 8]);
  granted(await removeWebhook(useCases(), made.id));
});

test('no redirect is followed, to a private address or anywhere, and a name that leads to a private address is not dialled', async () => {
  const [redirecting, secret] = [await receiver(), await receiver()];
  redirecting.answer = { status: 307, headers: { location: secret.url } };
  const made = await hook(redirecting.url);
  granted(await testWebhook(useCases(), made.id));
  await passed();
  const [delivery] = granted(await listDeliveries(useCases(), made.id));
  assert.deepEqual([delivery!.state, delivery!.status, secret.received.length], ['pending', 307, 0]);
  // The same webhooks, on a platform that allows no private address: a literal, and a name that leads here.
  const strict = workOn(createAddressGuard({ allow: [], resolveAll: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) }));
  const named = granted(await createWebhook(useCases(), { organization: one.id, url: 'https://hooks.example/x', events: null }, { allow: [] }));
  nowMs += 10_000;
  granted(await testWebhook(useCases(), named.id));
  await passed(strict);
  for (const { id } of [made, named]) {
    assert.equal(granted(await listDeliveries(useCases(), id))[0]!.error, 'the address is not public');
    granted(await removeWebhook(useCases(), id));
  }
  assert.equal(redirecting.received.length, 1);
});

test('a receiver that turns out to be at a refused address gets nothing, even if the check before the dial was wrong', async () => {
  const came: Buffer[] = [];
  const peer = createPeer((socket) => socket.on('error', () => {}).on('data', (bytes) => came.push(Buffer.from(bytes as Buffer))));
  await new Promise<void>((resolve) => { peer.listen(0, '127.0.0.1', resolve); });
  const guard = { ...createAddressGuard({ allow: parseAddressRanges(allow) }), admits: () => false };
  const { port } = peer.address() as AddressInfo;
  const notice = { secret: 'whsec_AAAA', id: 'msg_1', body: '{}', nowMs };
  for (const scheme of ['http', 'https']) {
    const attempt = await postNotice({ ...notice, url: `${scheme}://127.0.0.1:${port}/x` }, { guard, deadlineMs: 5_000 });
    assert.deepEqual([attempt.delivered, attempt.error], [false, 'the address is not public'], scheme);
  }
  await new Promise((resolve) => { peer.close(resolve); });
  assert.equal(Buffer.concat(came).length, 0);
});

test('private addresses in any spelling are refused when a webhook is made, and a secret is in no other answer', async () => {
  const token = one.tokens.admin;
  for (const url of [
    'http://example.com/x', 'https://127.0.0.1/x', 'https://0x7f.1/', 'https://[::1]/', 'https://169.254.169.254/latest', 'https://localhost/',
    'https://10.0.0.1', 'https://user@example.com/', 'https://example.com:25/', 'ftp://example.com/', 'https://', 'https://[::ffff:127.0.0.1]/',
    'https://1.1.1.1&@127.0.0.1/',
  ]) {
    const answer = await context.ask('/platform/v1/webhooks', { method: 'POST', token, body: { url } });
    assert.deepEqual([url, answer.status, (answer.body.error as { code: string }).code], [url, 400, 'invalid_webhook_url']);
  }
  const made = await context.ask('/platform/v1/webhooks', { method: 'POST', token, body: { url: 'https://example.com/x', events: ['cap.reached'] } });
  assert.match(String(made.body.secret), /^whsec_[0-9A-Za-z+/]{43}=$/);
  const id = String(made.body.id);
  const answers = await Promise.all(['webhooks', 'audit'].map((list) => context.ask(`/platform/v1/${list}`, { token })));
  const said = answers.map(({ text }) => text).join();
  assert.equal(said.includes(String(made.body.secret)), false);
  const other = await context.organization('other');
  for (const [path, method] of [[`/webhooks/${id}/test`, 'POST'], [`/webhooks/${id}/deliveries`, 'GET'], [`/webhooks/${id}`, 'DELETE']] as const) {
    assert.equal((await context.ask(`/platform/v1${path}`, { method, token: other.tokens.admin })).status, 404);
  }
  const byMember = await context.ask('/platform/v1/webhooks', { method: 'POST', token: one.tokens.member, body: { url: 'https://example.com' } });
  assert.equal(byMember.status, 403);
  assert.equal((await context.ask(`/platform/v1/webhooks/${id}`, { method: 'DELETE', token })).status, 200);
});

test('an unusual day is sent once, and only if two of the same weekdays are known', async () => {
  const told = await receiver();
  const made = await hook(told.url);
  const organization = one.id;
  // What earlier tests spent is on none of the days that are compared.
  nowMs += 35 * 86_400_000;
  for (const weeks of [1, 2]) await spend(2, organization, nowMs - weeks * 7 * 86_400_000);
  await spend(9);
  nowMs += 61_000;
  await passed();
  nowMs += 61_000;
  await passed();
  assert.equal(types(told).filter((type) => type === 'spend.unusual').length, 1);
  granted(await removeWebhook(useCases(), made.id));
});

test('a run that ended over its budget is sent once, with what it spent', async () => {
  const told = await receiver();
  const made = await hook(told.url);
  await passed();
  const run = { organization: one.id, id: 'dear', declared: nanoDollars(5n), effective: nanoDollars(5n), clampReason: null };
  await context.store.runs.open([{ ...run, startedAtMs: nowMs, expiresAtMs: null, exposureLimit: null, mayCreate: true }]);
  const over = { organization: one.id, run: 'dear', state: 'over_budget', atMs: nowMs } as const;
  await context.store.calls.ship({
    segment: `seg_notice_${++segments}`, through: 2, runEvents: [{ seq: 2, event: over }],
    records: [{ seq: 1, record: sampleRecord(one.id, { run: 'dear', startedAtMs: nowMs, cost: nanoDollars(7n) }) }],
  });
  for (let time = 0; time < 2; time += 1) {
    nowMs += 61_000;
    await passed();
  }
  const about = told.received.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
    .filter(({ type }) => type === 'run.over_budget').map(({ data }) => data);
  assert.deepEqual(about, [{
    run: 'dear', spent: '0.000000007', budget: '0.000000005', endedAt: about[0]!['endedAt'], unknownCalls: 0, unpricedCalls: 0, gapCalls: 0,
  }]);
  granted(await removeWebhook(useCases(), made.id));
});

test('a closed run that had gone over its budget is reported once that is known, and no later end of it is', async () => {
  const told = await receiver();
  const made = await hook(told.url);
  const run = { organization: one.id, id: 'twice', declared: nanoDollars(5n), effective: nanoDollars(5n), clampReason: null };
  await context.store.runs.open([{ ...run, startedAtMs: nowMs, expiresAtMs: null, exposureLimit: null, mayCreate: true }]);
  const endedMs = nowMs;
  const sentAfter = async (state: 'closed' | 'over_budget' | 'expired', atMs: number) => {
    const event = { organization: one.id, run: 'twice', state, atMs };
    await context.store.calls.ship({ segment: `seg_notice_${++segments}`, through: 1, records: [], runEvents: [{ seq: 1, event }] });
    nowMs += 61_000;
    await passed();
    const all = told.received.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
    return all.filter(({ type }) => type === 'run.over_budget').map(({ data }) => data['endedAt']);
  };
  const sent = [new Date(endedMs + 5).toISOString()];
  assert.deepEqual(await sentAfter('closed', endedMs + 9), []);
  assert.deepEqual(await sentAfter('over_budget', endedMs + 5), sent);
  assert.deepEqual(await sentAfter('over_budget', endedMs + 3), sent);
  assert.deepEqual(await sentAfter('expired', endedMs + 1), sent);
  granted(await removeWebhook(useCases(), made.id));
});

test('a Baseline is sent once as its report begins, and once as it closes', async () => {
  const told = await receiver();
  const own = await context.organization('measured');
  const made = granted(await createWebhook(useCases(), { organization: own.id, url: told.url, events: null }, { allow }));
  // On a paid plan a Baseline continues.
  granted(await context.store.organizations.set(own.id, { plan: 'free' }));
  const key = { hash: 'ab'.repeat(32), prefix: 'svc_tap_xx' };
  const baseline = granted(await context.store.baselines.create({ organization: own.id, key, unread: null }));
  const about = (): string[] => types(told).filter((type) => type.startsWith('baseline.'));
  nowMs += 61_000;
  await passed();
  assert.deepEqual(about(), [], 'nothing while it waits');
  const dayMs = 86_400_000;
  const firstDayMs = (Math.floor(nowMs / dayMs) + 1) * dayMs;
  const event = understoodEvent({ timestampMs: firstDayMs + 1_000 });
  await context.store.tapEvents.keep({ keyHash: key.hash, events: [event], isPriced: () => true, priceSteps: [] });
  for (const atMs of [firstDayMs + 2_000, firstDayMs + 70_000, firstDayMs + 7 * dayMs + 1_000, firstDayMs + 8 * dayMs]) {
    nowMs = atMs;
    await passed();
  }
  assert.deepEqual(about(), ['baseline.reporting', 'baseline.closed']);
  const [first] = told.received.map(({ body }) => JSON.parse(body) as { data: Record<string, unknown> });
  assert.deepEqual(first!.data, { assessment: baseline.id, closesAt: new Date(firstDayMs + 7 * dayMs).toISOString() });
  granted(await removeWebhook(useCases(), made.id));
});

test('one platform at a time does the work; another continues once the first is gone', async () => {
  const other = workOn(undefined, 'plt_other');
  await passed();
  assert.equal(await other.pass(), false);
  nowMs += 11_000;
  assert.equal(await other.pass(), true);
  assert.equal(await work.pass(), false);
  await other.end();
  nowMs += 5_000;
  assert.equal(await work.pass(), true);
});

test('the platform restarted in its place sends at once what a killed one had taken, and what waits for its next attempt keeps waiting', async () => {
  // The store uses its own clock, and notices are removed after thirty days.
  nowMs = Date.now() + 5_000;
  const [hanging, failing] = [await receiver(), await receiver()];
  const hooks = [await hook(hanging.url), await hook(failing.url)];
  await passed();
  hanging.answer = null;
  failing.answer = { status: 500 };
  for (const { id } of hooks) granted(await testWebhook(useCases(), id));
  await work.pass();
  const failed = async (): Promise<boolean> => granted(await listDeliveries(useCases(), hooks[1]!.id))[0]!.attempts === 1;
  await eventually(async () => hanging.received.length > 0 && await failed());
  hanging.answer = { status: 204 };
  await passed(workOn());
  assert.equal(hanging.received.length, 2);
  assert.equal(hanging.received[0]!.headers['webhook-id'], hanging.received[1]!.headers['webhook-id']);
  assert.equal(failing.received.length, 1);
  // The attempt that nobody answers is over.
  servers.at(-2)!.closeAllConnections();
  await work.idle();
  for (const { id } of hooks) granted(await removeWebhook(useCases(), id));
});

test('a cap that was reached before midnight, while no platform ran, is reported by the next one, and so is its reset', async () => {
  const told = await receiver();
  const made = await hook(told.url);
  const two = await context.organization('two');
  const other = granted(await createWebhook({ ...useCases() }, { organization: two.id, url: told.url, events: null }, { allow }));
  granted(await removeWebhook(useCases(), made.id));
  await context.ask('/platform/v1/caps', { method: 'POST', token: two.tokens.admin, body: { scope: 'organization', window: 'day', limit: '1' } });
  nowMs = Math.ceil(nowMs / 86_400_000) * 86_400_000 + 43_200_000;
  await passed();
  await spend(2, two.id, nowMs + 1_000);
  nowMs += 50_000_000;
  await passed(workOn());
  assert.deepEqual(types(told), ['cap.reached', 'cap.reset']);
  await passed(workOn());
  assert.equal(told.received.length, 2);
  granted(await removeWebhook(useCases(), other.id));
});

test('a budget of a month is reported once for each threshold, when more is expected, and when it is spent', async () => {
  const told = await receiver();
  const made = await hook(told.url);
  const other = one.id;
  // The eighth of a month in which nothing was spent yet.
  nowMs = monthAfter(nowMs + 40 * 86_400_000) + 7 * 86_400_000;
  const budget = granted(await setBudget(useCases(), { organization: other, scope: 'label', subject: 'team:told', amount: '100', at: [10, 50] }));
  const bodies = () => told.received.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
    .filter(({ type }) => type.startsWith('budget.'));
  const spendLabelled = async (dollars: number): Promise<void> => {
    await context.store.calls.ship(batchOf(`seg_notice_${++segments}`, [
      sampleRecord(other, { startedAtMs: nowMs, labels: ['team:told'], cost: nanoDollars(BigInt(dollars) * 1_000_000_000n) }),
    ]));
    nowMs += 61_000;
    await passed();
    nowMs += 61_000;
    await passed();
  };
  await spendLabelled(1);
  assert.deepEqual(bodies().map(({ type }) => type), ['budget.expected'], 'a dollar in an hour, and three weeks to go');
  await spendLabelled(20);
  await spendLabelled(99);
  assert.deepEqual(bodies().map(({ type, data }) => [type, data['threshold'] ?? null, data['spent']]), [
    ['budget.expected', null, '1.000000000'], ['budget.threshold', 10, '21.000000000'], ['budget.threshold', 50, '120.000000000'],
    ['budget.reached', null, '120.000000000'],
  ]);
  const { data } = bodies()[0]!;
  assert.deepEqual([data['budget'], data['scope'], data['subject'], data['amount'], data['unknownCalls']],
    [budget.id, 'label', 'team:told', '100.000000000', 0]);
  assert.ok(Number(data['expected']) > 100);
  granted(await removeBudget(useCases(), budget.id, other));
  granted(await removeWebhook(useCases(), made.id));
});
