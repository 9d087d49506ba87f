/** The store thread as a whole, on a real store and a real journal: ready, asked, changed, shipped from, stopped. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';
import { createJournal } from '../journal/writer.ts';
import { testDirectory } from '../journal/test-support/journal-fixture.ts';
import { sampleOpening, sampleRecord } from '../journal/test-support/sample-call.ts';
import { isRefusal } from '../refusal.ts';
import { openStore } from '../store.ts';
import type { OrganizationChange } from './protocol.ts';
import { gathered } from './gathered-port.ts';
import { createStoreClient } from './store-client.ts';

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

const journalIn = (directory: string) => createJournal({ directory, sync: 'normal', randomBytes, clock });

test('a journal left behind is in the store before ready; later calls follow by themselves; a stop ships the rest', async (t) => {
  const { journalDirectory, store, organization, start } = await context(t);
  const list = async () => (await store.calls.list({ organization: organization.id, limit: 100 })).map(({ outcome }) => outcome);
  const left = journalIn(journalDirectory);
  await new Promise((resolve) => left.open(sampleOpening(1, organization.id), resolve));
  await left.end();

  const { worker, port } = start();
  assert.deepEqual(await once(worker, 'message'), [{ ready: true }]);
  assert.deepEqual(await list(), ['interrupted']);

  const client = createStoreClient({ port: gathered(port), clock });
  const journal = journalIn(journalDirectory);
  await new Promise((resolve) => journal.open(sampleOpening(2, organization.id), resolve));
  await new Promise<void>((resolve) => journal.close(sampleRecord(sampleOpening(2, organization.id), 2), resolve));
  client.nudgeJournal();
  while ((await list()).length < 2) await new Promise(setImmediate);
  assert.deepEqual(await list(), ['completed', 'interrupted']);

  await new Promise((resolve) => journal.open(sampleOpening(3, organization.id), resolve));
  journal.close(sampleRecord(sampleOpening(3, organization.id), 3), () => {});
  await journal.end();
  // Listened for together: a thread that has ended by the time its last message is read tells both in one turn.
  const ended = once(worker, 'exit');
  const said = once(worker, 'message');
  worker.postMessage({ stop: true });
  assert.deepEqual(await said, [{ stopped: true }]);
  await ended;
  assert.deepEqual(await list(), ['completed', 'completed', 'interrupted']);
  assert.deepEqual(readdirSync(journalDirectory), []);
});

test('a key is answered, and its end is told without being asked for', async (t) => {
  const { store, organization, start } = await context(t);
  const { worker, port } = start();
  await once(worker, 'message');
  const client = createStoreClient({ port: gathered(port), clock, deadlineMs: 5000 });
  await client.heard;
  const hash = 'c'.repeat(64);
  const key = await store.serviceKeys.create({
    organization: organization.id, name: null, project: 'p', expiresAtMs: null, hash, prefix: 'svc_live_c',
  });
  assert.ok(!isRefusal(key));
  assert.equal((await client.askKey(hash))?.key.id, key.id);
  const changed = new Promise<OrganizationChange>((resolve) => client.onChange(resolve));
  await store.serviceKeys.revoke(key.id);
  for (let change = await changed; change.keys[0]![1] !== null;) change = await new Promise((resolve) => client.onChange(resolve));
  assert.equal(await client.askKey(hash), null);
});

test('a store that is absent and a journal that cannot be read are said to the parent in one sentence', async (t) => {
  const { journalDirectory, start } = await context(t);
  const [absent] = await once(start('sqlite:/nowhere/store.db').worker, 'message') as [{ failed: { code: string } }];
  assert.match(absent.failed.code, /^store_/);
  mkdirSync(journalDirectory);
  for (const name of ['seg_00000000000000000000.log', 'seg_00000000000000000000.db']) {
    writeFileSync(join(journalDirectory, name), 'damaged'.repeat(1000));
    const [damaged] = await once(start().worker, 'message') as [{ failed: { code: string; message: string } }];
    assert.equal(damaged.failed.code, 'journal_unreadable');
    assert.ok(damaged.failed.message.includes(name));
    rmSync(join(journalDirectory, name));
  }
});
