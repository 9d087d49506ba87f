/** The revision feed: a change reaches the node at the next poll, and an answer that was out of date when it came is not kept (rules: Snapshots). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import { sampleRecord } from '../test-support/contract-fixture.ts';
import { testDirectory } from '../journal/test-support/journal-fixture.ts';
import { isRefusal } from '../engine/refusal.ts';
import { openStore, type Store } from '../store.ts';
import type { FromStore } from './protocol.ts';
import { createSettingsDesk } from './settings-desk.ts';

const hash = 'a'.repeat(64);

function granted<T>(result: T): Exclude<T, { refused: unknown }> {
  assert.ok(!isRefusal(result));
  return result as Exclude<T, { refused: unknown }>;
}

async function context(t: TestContext) {
  const url = `sqlite:${join(testDirectory(t), 'store.db')}`;
  const store = await openStore({ url, masterKey: new Uint8Array(32).fill(7), clock: () => 1_790_000_000_000, randomBytes, create: true });
  t.after(() => store.close());
  const organization = granted(await store.organizations.create({ name: 'one', plan: 'free' }));
  const other = granted(await store.organizations.create({ name: 'two', plan: 'free' }));
  const key = granted(await store.serviceKeys.create({
    organization: organization.id, name: 'k', project: null, expiresAtMs: null, hash, prefix: 'svc_live_ab',
  }));
  const said: FromStore[] = [];
  const post = (message: FromStore) => void said.push(message);
  const deskOver = (settings: Store['settings']) => createSettingsDesk({
    settings, prices: store.prices, spend: store.spend, clock: () => 1_790_000_000_000, post,
  });
  const changes = () => said.splice(0).flatMap((message) => message.kind === 'changed' ? [message.change] : []);
  return { store, organization, other, key, said, deskOver, changes, desk: deskOver(store.settings) };
}

test('a live key is answered with its organization, any other with null, and a store that fails with a failure', async (t) => {
  const { desk, said, organization, key, store, deskOver } = await context(t);
  await desk.ask(1, hash);
  await desk.ask(2, 'b'.repeat(64));
  await deskOver({ ...store.settings, keysByHash: () => Promise.reject(new Error('away')) }).ask(3, hash);
  const [found, unknown, failed] = said;
  assert.ok(found?.kind === 'answer');
  assert.deepEqual([found.number, found.found?.key.id, found.found?.organization.id], [1, key.id, organization.id]);
  assert.deepEqual([unknown, failed], [{ kind: 'answer', number: 2, found: null }, { kind: 'failed', number: 3 }]);
});

test('keys of one organization share its settings, until anything changes: the next answer has the change, polled or not', async (t) => {
  const { store, organization, said, deskOver } = await context(t);
  let reads = 0;
  const desk = deskOver({ ...store.settings, organization: (id) => { reads += 1; return store.settings.organization(id); } });
  const second = 'c'.repeat(64);
  granted(await store.serviceKeys.create({
    organization: organization.id, name: 'l', project: null, expiresAtMs: null, hash: second, prefix: 'svc_live_cd',
  }));
  await desk.poll();
  await desk.ask(1, hash);
  await desk.ask(2, second);
  assert.equal(reads, 1);
  granted(await store.organizations.set(organization.id, { drainSeconds: 17 }));
  await desk.ask(3, second);
  const answers = said.filter((message) => message.kind === 'answer').map(({ found }) => found?.organization.drainSeconds);
  assert.deepEqual([reads, answers], [2, [null, null, 17]]);
});

test('keys used within the hour are sent before the first heartbeat, and their changes like those of keys asked for', async (t) => {
  const { store, organization, said, desk, key, changes, deskOver } = await context(t);
  await desk.poll();
  assert.deepEqual(said.splice(0).map(({ kind }) => kind), ['prices', 'heartbeat'], 'a key that was never used');
  const startedAtMs = 1_790_000_000_000 - 3_000_000;
  const record = sampleRecord(organization.id, { key: key.id, startedAtMs });
  await store.calls.ship({ segment: 'seg_used', through: 1, records: [{ seq: 1, record }] });
  const next = deskOver(store.settings);
  await next.poll();
  assert.deepEqual(said.map(({ kind }) => kind), ['prices', 'ahead', 'heartbeat']);
  const [, ahead] = said;
  assert.ok(ahead?.kind === 'ahead');
  assert.deepEqual([ahead.hash, ahead.found.key.id, ahead.found.organization.id], [hash, key.id, organization.id]);
  said.length = 0;
  granted(await store.organizations.set(organization.id, { drainSeconds: 17 }));
  await next.poll();
  assert.deepEqual(changes().map(({ keys }) => keys[0]?.[0]), [hash]);
});

test('a store that was put back to an earlier moment is read again: what was made since is gone, what was changed is as it was', async (t) => {
  const { store, organization, other, said, deskOver, changes } = await context(t);
  const late = 'd'.repeat(64);
  granted(await store.serviceKeys.create({
    organization: other.id, name: 'late', project: null, expiresAtMs: null, hash: late, prefix: 'svc_live_ef',
  }));
  let isBack = false;
  const desk = deskOver({
    ...store.settings,
    organization: async (id) => (isBack && id === other.id ? null : store.settings.organization(id)),
    changedSince: (since) => (isBack ? Promise.resolve({ revision: 1, organizations: [], prices: false }) : store.settings.changedSince(since)),
    keysByHash: async (hashes) => new Map([...await store.settings.keysByHash(hashes)].filter(([each]) => !isBack || each !== late)),
  });
  await desk.poll();
  await desk.ask(1, hash);
  await desk.ask(2, late);
  said.length = 0;
  isBack = true;
  await desk.poll();
  assert.deepEqual(said.map(({ kind }) => kind), ['changed', 'changed', 'prices', 'heartbeat']);
  const found = changes();
  assert.deepEqual(found.map(({ id, organization: now }) => [id, now?.id ?? null]), [[organization.id, organization.id], [other.id, null]]);
  await desk.poll();
  assert.deepEqual(said.map(({ kind }) => kind), ['heartbeat']);
});

test('a store that cannot say which keys were used keeps no node from starting', async (t) => {
  const { store, said, deskOver } = await context(t);
  await deskOver({ ...store.settings, hashesUsedSince: () => Promise.reject(new Error('late')) }).poll();
  assert.deepEqual(said.map(({ kind }) => kind), ['prices', 'heartbeat']);
});

test('questions of one turn are answered together, each with its own answer; one that fails does not fail the others', async (t) => {
  const { store, organization, other, said, deskOver, key } = await context(t);
  const asked: number[] = [];
  const desk = deskOver({
    ...store.settings,
    keysByHash(hashes) {
      asked.push(hashes.length);
      return store.settings.keysByHash(hashes);
    },
    organization: (id) => id === other.id ? Promise.reject(new Error('unreadable')) : store.settings.organization(id),
  });
  const [second, broken] = ['c'.repeat(64), 'd'.repeat(64)];
  const make = (of: typeof organization, made: string) => store.serviceKeys.create({
    organization: of.id, name: made.slice(0, 1), project: null, expiresAtMs: null, hash: made, prefix: 'svc_live_cd',
  });
  const secondKey = granted(await make(organization, second));
  granted(await make(other, broken));
  await desk.poll();
  await Promise.all([desk.ask(1, hash), desk.ask(2, second), desk.ask(3, 'b'.repeat(64))]);
  assert.deepEqual(asked, [3]);
  const told = () => said.splice(0).flatMap((message): (string | number | null)[][] =>
    message.kind === 'answer' ? [[message.number, message.found?.key.id ?? null]] : message.kind === 'failed' ? [[message.number, 'failed']] : []);
  assert.deepEqual(told(), [[1, key.id], [2, secondKey.id], [3, null]]);
  await Promise.all([desk.ask(4, second), desk.ask(5, broken)]);
  assert.deepEqual(told().sort(), [[4, secondKey.id], [5, 'failed']]);
});

test('a change of an organization with many keys in use is reported for each of them, in several parts', async (t) => {
  const { store, organization, changes, desk } = await context(t);
  const hashes = Array.from({ length: 450 }, (_, at) => at.toString(16).padStart(64, '0'));
  for (const [at, each] of hashes.entries()) {
    granted(await store.serviceKeys.create({
      organization: organization.id, name: `k${at}`, project: null, expiresAtMs: null, hash: each, prefix: 'svc_live_cd',
    }));
  }
  await desk.poll();
  await Promise.all(hashes.map((each, at) => desk.ask(at, each)));
  changes();
  await store.organizations.set(organization.id, { plan: 'team' });
  await desk.poll();
  const told = changes();
  assert.ok(told.length > 1 && told.every((change) => change.organization?.plan === 'team'));
  assert.deepEqual(told.flatMap(({ keys }) => keys.map(([of]) => of)).sort(), hashes);
});

test('an answer says what the organization and the key have spent, every shipped call included (rules: Spend across nodes)', async (t) => {
  const { desk, said, organization, key, store } = await context(t);
  const cost = nanoDollars(5n);
  const startedAtMs = 1_790_000_000_000;
  await store.calls.ship({ segment: 'seg_spent', through: 2, records: [
    { seq: 1, record: sampleRecord(organization.id, { key: key.id, cost, startedAtMs }) },
    { seq: 2, record: sampleRecord(organization.id, { cost, startedAtMs }) },
  ] });
  await desk.ask(1, hash);
  const [answer] = said;
  assert.ok(answer?.kind === 'answer' && answer.found !== null);
  const { spend } = answer.found;
  assert.deepEqual([spend.key.day.spent, spend.organization.day.spent, spend.organization.lifetime.spent], [5n, 10n, 10n]);
  assert.deepEqual(structuredClone(spend), spend);
});

test('a change of an organization reaches the node at the next poll, with the keys it holds and no others', async (t) => {
  const { desk, organization, other, store, changes, key } = await context(t);
  await desk.poll();
  await desk.ask(1, hash);
  changes();
  await store.organizations.set(organization.id, { plan: 'team' });
  await store.organizations.set(other.id, { plan: 'team' });
  await desk.poll();
  const [change, ...more] = changes();
  assert.deepEqual([change?.id, change?.organization?.plan], [organization.id, 'team']);
  assert.deepEqual(change?.keys.map(([of, now]) => [of, now?.id]), [[hash, key.id]]);
  assert.deepEqual(more, []);
  await desk.poll();
  assert.deepEqual(changes(), []);
});

test('a revoked key is reported as gone, once', async (t) => {
  const { desk, organization, store, changes, key } = await context(t);
  await desk.poll();
  await desk.ask(1, hash);
  changes();
  await store.serviceKeys.revoke(key.id);
  await desk.poll();
  assert.deepEqual(changes().map(({ keys }) => keys), [[[hash, null]]]);
  await store.organizations.set(organization.id, { plan: 'team' });
  await desk.poll();
  assert.deepEqual(changes(), []);
});

test('an expired key is reported as gone with the next change of its organization, once, so short-lived keys do not pile up', async (t) => {
  const { store, organization, said, changes } = await context(t);
  const brief = 'd'.repeat(64);
  let nowMs = 1_790_000_000_000;
  granted(await store.serviceKeys.create({
    organization: organization.id, name: 'job', project: null, expiresAtMs: nowMs + 1_000, hash: brief, prefix: 'svc_live_ef',
  }));
  const desk = createSettingsDesk({
    settings: store.settings, prices: store.prices, spend: store.spend, clock: () => nowMs, post: (message) => void said.push(message),
  });
  await desk.poll();
  await desk.ask(1, hash);
  await desk.ask(2, brief);
  const told: (readonly [string, boolean])[][] = [];
  for (const passedMs of [999, 1, 0]) {
    nowMs += passedMs;
    granted(await store.organizations.set(organization.id, { drainSeconds: told.length }));
    changes();
    await desk.poll();
    told.push(changes().flatMap(({ keys }) => keys.map(([of, key]) => [of, key !== null] as const)));
  }
  assert.deepEqual(told, [[[hash, true], [brief, true]], [[hash, true], [brief, false]], [[hash, true]]]);
});

test('the end of an organization is reported once, with its keys that the node holds, also if it holds none any more', async (t) => {
  for (const revoked of [false, true]) {
    const { desk, organization, store, changes, key } = await context(t);
    await desk.poll();
    await desk.ask(1, hash);
    if (revoked) await store.serviceKeys.revoke(key.id);
    await desk.poll();
    changes();
    await store.erasure.begin(organization.id);
    await desk.poll();
    assert.deepEqual(changes(), [{ id: organization.id, organization: null, keys: revoked ? [] : [[hash, null]], capped: [] }]);
    await desk.poll();
    assert.deepEqual(changes(), []);
  }
});

test('a key revoked while its question is being answered is never left in force', async (t) => {
  const { deskOver, store, key, said } = await context(t);
  const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
  const { promise: reading, resolve: began } = Promise.withResolvers<void>();
  let first = true;
  const desk = deskOver({
    ...store.settings,
    async keysByHash(asked) {
      const answer = await store.settings.keysByHash(asked);
      if (!first) return answer;
      first = false;
      began();
      await blocked;
      return answer;
    },
  });
  await desk.poll();
  const asked = desk.ask(1, hash);
  await reading;
  await store.serviceKeys.revoke(key.id);
  await desk.poll();
  release();
  await asked;
  assert.deepEqual(said.filter(({ kind }) => kind === 'answer'), [{ kind: 'answer', number: 1, found: null }]);
});

test('prices are sent at the start and at each change; a heartbeat ends each poll that reached the store, and no other', async (t) => {
  const { desk, store, said, deskOver } = await context(t);
  await desk.poll();
  await store.prices.loadOverlay('{"a":1}');
  await desk.poll();
  await desk.poll();
  assert.deepEqual(said.splice(0), [
    { kind: 'prices', prices: { list: null, overlay: null } }, { kind: 'heartbeat' },
    { kind: 'prices', prices: { list: null, overlay: '{"a":1}' } }, { kind: 'heartbeat' }, { kind: 'heartbeat' },
  ]);
  await assert.rejects(deskOver({ ...store.settings, revision: () => Promise.reject(new Error('away')) }).poll());
  assert.deepEqual(said, []);
});

test('a change that could not be reported is reported at a later poll', async (t) => {
  const { deskOver, store, organization, changes } = await context(t);
  let away = false;
  const desk = deskOver({
    ...store.settings,
    organization: (id) => away ? Promise.reject(new Error('away')) : store.settings.organization(id),
  });
  await desk.poll();
  await desk.ask(1, hash);
  await store.organizations.set(organization.id, { plan: 'team' });
  away = true;
  await assert.rejects(desk.poll());
  assert.deepEqual(changes(), []);
  away = false;
  await desk.poll();
  assert.deepEqual(changes().map((change) => change.organization?.plan), ['team']);
});
