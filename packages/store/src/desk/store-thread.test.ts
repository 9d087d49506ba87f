/** The store thread as a whole, on a real store and a real journal: starts, answers, posts changes, ships, stops. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { on, once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { LeaseSubject } from '@metergate/core/spend/lease/subject.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { windowAt } from '@metergate/core/spend/window.ts';
import { createJournal } from '../journal/writer.ts';
import { testDirectory } from '../journal/test-support/journal-fixture.ts';
import { sampleOpening, sampleRecord } from '../journal/test-support/sample-call.ts';
import { isRefusal } from '../engine/refusal.ts';
import { openStore } from '../store.ts';
import { contractStores, onPostgres } from '../test-support/contract-store.ts';
import { homeOf } from './home.ts';
import { gathered } from './gathered-port.ts';
import { createStoreClient } from './store-client.ts';

const contractStore = contractStores();
const masterKey = new Uint8Array(32).fill(7);
const clock = () => performance.now();

async function context(t: TestContext) {
  const home = testDirectory(t);
  const journalDirectory = join(home, 'journal');
  const url = `sqlite:${join(home, 'store.db')}`;
  const store = await openStore({ url, masterKey, clock: Date.now, randomBytes, create: true });
  t.after(() => store.close());
  const organization = await store.organizations.create({ name: 'one', plan: 'free' });
  assert.ok(!isRefusal(organization));
  function start(databaseUrl = url) {
    const { port1: port, port2: gatewayPort } = new MessageChannel();
    const worker = new Worker(new URL('./store-thread.ts', import.meta.url), {
      workerData: { databaseUrl, masterKey, journalDirectory, gatewayPort }, transferList: [gatewayPort],
    });
    t.after(() => worker.terminate());
    t.after(() => port.close());
    return { worker, port };
  }
  return { journalDirectory, store, organization, start };
}

/** The first message of a thread that is not its figures, which may come before. */
async function firstAnswer(worker: Worker): Promise<unknown[]> {
  for await (const [message] of on(worker, 'message') as AsyncIterable<[object]>) if (!('figures' in message)) return [message];
  return [];
}

const journalIn = (directory: string) => createJournal({ directory, sync: 'normal', randomBytes, clock });

test('a journal left behind is in the store before ready; later calls follow by themselves; a stop ships the rest', async (t) => {
  const { journalDirectory, store, organization, start } = await context(t);
  const list = async () => (await keptCalls(store, organization.id)).map(({ outcome }) => outcome);
  const left = journalIn(journalDirectory);
  await new Promise((resolve) => left.open(sampleOpening(1, organization.id), resolve));
  await left.end();

  const { worker, port } = start();
  assert.deepEqual(await firstAnswer(worker), [{ ready: true }]);
  assert.deepEqual(await list(), ['interrupted']);

  const client = createStoreClient({ port: gathered(port), clock });
  const journal = journalIn(journalDirectory);
  await new Promise((resolve) => journal.open(sampleOpening(2, organization.id), resolve));
  await new Promise<void>((resolve) => journal.close(sampleRecord(sampleOpening(2, organization.id), 2), resolve));
  client.nudgeJournal();
  await eventually(async () => (await list()).length >= 2);
  assert.deepEqual(await list(), ['completed', 'interrupted']);

  await new Promise((resolve) => journal.open(sampleOpening(3, organization.id), resolve));
  journal.close(sampleRecord(sampleOpening(3, organization.id), 3), () => {});
  await journal.end();
  // Both listeners are set together: a thread that has ended by the time its last message is read emits both in one turn.
  const ended = once(worker, 'exit');
  const stopped = Promise.withResolvers<void>();
  // On a busy machine a second has passed, and figures are sent besides.
  worker.on('message', (message: { readonly stopped?: boolean }) => { if (message.stopped === true) stopped.resolve(); });
  worker.postMessage({ stop: true });
  await stopped.promise;
  await ended;
  assert.deepEqual(await list(), ['completed', 'completed', 'interrupted']);
  assert.deepEqual(readdirSync(journalDirectory), []);
});

test('what the last process on a data directory held is returned only when its journal is in the store', async (t) => {
  const journalDirectory = join(testDirectory(t), 'journal');
  const { context: database, url, store, newOrganization } = await contractStore(onPostgres);
  const organization = await newOrganization();
  const opening = sampleOpening(1, organization);
  const subject: LeaseSubject = {
    organization, scope: 'organization', subject: '', window: 'month', ...windowAt('month', opening.startedAtMs),
  };
  await store.caps.set({ organization, scope: 'organization', subject: null, window: 'month', limit: nanoDollars(100n), mode: 'refuse' });
  await store.leases.begin(opening.node, homeOf(journalDirectory, randomBytes));
  const nothing = nanoDollars(0n);
  await store.leases.claim(opening.node, 1, [{ subject, settled: nothing, holds: nothing, recent: nothing, underWay: nothing, wants: true }]);
  const left = journalIn(journalDirectory);
  await new Promise((resolve) => left.open(opening, resolve));
  await new Promise<void>((resolve) => left.close(sampleRecord(opening, 1), resolve));
  await left.end();
  for (const statement of ['update gateway_node set heard_at_ms = heard_at_ms - 60000', 'create table seen (leases bigint)',
    `create function look() returns trigger as $$ begin insert into seen select count(*) from spend_lease where granted_nano > 0;
      return null; end $$ language plpgsql`,
    'create trigger look after insert on call_record for each statement execute function look()']) await database.query(url, statement);

  const { port1: port, port2: gatewayPort } = new MessageChannel();
  const worker = new Worker(new URL('./store-thread.ts', import.meta.url), {
    workerData: { databaseUrl: url, masterKey, journalDirectory, gatewayPort, nodeId: 'node_next' }, transferList: [gatewayPort],
  });
  t.after(() => worker.terminate());
  t.after(() => port.close());
  assert.deepEqual(await firstAnswer(worker), [{ ready: true }]);
  assert.deepEqual(await database.query(url, 'select leases from seen'), [{ leases: '1' }]);
  assert.deepEqual(await database.query(url, 'select node from spend_lease where granted_nano > 0'), []);
  const ended = once(worker, 'exit');
  worker.postMessage({ stop: true });
  await ended;
});

test('a question about a key is answered, and the end of the key is reported unasked', async (t) => {
  const { store, organization, start } = await context(t);
  const { worker, port } = start();
  await firstAnswer(worker);
  const client = createStoreClient({ port: gathered(port), clock, deadlineMs: 60_000 });
  await client.heard;
  const hash = 'c'.repeat(64);
  const key = await store.serviceKeys.create({
    organization: organization.id, name: null, project: 'p', expiresAtMs: null, hash, prefix: 'svc_live_c',
  });
  assert.ok(!isRefusal(key));
  assert.equal((await client.askKey(hash))?.key.id, key.id);
  // Several changes may arrive in one turn: each is looked at.
  const gone = new Promise<void>((resolve) => client.onChange(({ keys }) => { if (keys.some(([, now]) => now === null)) resolve(); }));
  await store.serviceKeys.revoke(key.id);
  await gone;
  assert.equal(await client.askKey(hash), null);
});

test('an absent store and an unreadable journal are reported to the parent in one sentence', async (t) => {
  const { journalDirectory, start } = await context(t);
  const [absent] = await firstAnswer(start('sqlite:/nowhere/store.db').worker) as [{ failed: { code: string } }];
  assert.match(absent.failed.code, /^store_/);
  mkdirSync(journalDirectory);
  for (const name of ['seg_00000000000000000000.log', 'seg_00000000000000000000.db']) {
    writeFileSync(join(journalDirectory, name), 'damaged'.repeat(1000));
    const [damaged] = await firstAnswer(start().worker) as [{ failed: { code: string; message: string } }];
    assert.equal(damaged.failed.code, 'journal_unreadable');
    assert.ok(damaged.failed.message.includes(name));
    rmSync(join(journalDirectory, name));
  }
});
