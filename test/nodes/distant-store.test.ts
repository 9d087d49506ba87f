/**
 * A node whose store is 100 ms away, each way: longer than a call waits for it. The store's answer comes too late for the first caller, and
 * is there for the next, so keys, runs and caps still work (rules: The path of a call).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import { startCluster, type Cluster, type ClusterNode } from '@metergate/testkit/cluster.ts';
import { startDatabaseRelay, type DatabaseRelay } from '@metergate/testkit/database-relay.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import type { Store } from '@metergate/store/store.ts';
import { Sharer, storeOf } from './shared-fixture.ts';

const triesMax = 40;
let postgres: TestPostgres;
let cluster: Cluster;
let store: Store;
let relay: DatabaseRelay;
let node: ClusterNode;
before(async () => {
  postgres = await testPostgres();
  const databaseUrl = await postgres.createDatabase();
  cluster = await startCluster(databaseUrl);
  store = await storeOf(cluster);
  relay = await startDatabaseRelay(databaseUrl);
  node = await cluster.node({ databaseUrl: relay.url });
  relay.slowTo(100);
});
after(async () => {
  relay?.slowTo(0);
  await cluster?.stop();
  await store?.close();
  await relay?.close();
  await postgres?.stop();
});

/** The codes of the answers until one is 200, as a client gets them that retries. */
async function untilServed(sharer: Sharer, headers: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const codes: string[] = [];
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { status, code } = await sharer.call(node, 0.01, headers);
    if (status === 200) return codes;
    codes.push(code);
    await pass(200);
  }
  assert.fail(`never served: ${codes.join(' ')}`);
}

test('a key that the node does not hold works when its caller retries, and so do its cap, a run with a budget and one without', async () => {
  const sharer = await Sharer.of(cluster, store, 'far');
  await sharer.cap(5);
  for (const code of await untilServed(sharer)) assert.match(code, /^(internal_error|budget_unverifiable)$/);
  for (const headers of [{ 'x-svc-run-id': 'budgeted', 'x-svc-run-budget': '1' }, { 'x-svc-run-id': 'free' }]) {
    for (const code of await untilServed(sharer, headers)) assert.equal(code, 'budget_unverifiable');
  }
  assert.deepEqual([(await sharer.spent()).records, (await sharer.spent()).sum], [3, 0.03]);
});
