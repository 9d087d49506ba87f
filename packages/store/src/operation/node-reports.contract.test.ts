/** On both engines: the last report of each data directory's node, for a day; the first organization is the home, whatever comes later. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { granted } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import type { NodeReport } from './node-reports.ts';

const contractStore = contractStores();
const report = (node: string): NodeReport => ({
  node, host: 'one', version: '0.1.0', runtime: 'v26.10.0', startedAtMs: 1, state: 'ready', reasons: [], callsInFlight: 0, callsForwarded: 0,
  callsRefused: 0, faults: 0, liveRuns: 0, journal: { rowsToShip: 0, lagMs: 0, bytes: 0, rowsInMemory: 0, setAside: 0 }, settingsAgeMs: 0,
  eventLoopDelayMs: 0, spendDifferences: 0, leases: null,
});

for (const on of bothEngines) {
  describe(`reports of nodes on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);

    test('a node replaces its own report; one that was silent for a day is forgotten', async () => {
      await store.nodeReports.say('home_a', report('node_1'), 1_000.5);
      await store.nodeReports.say('home_b', report('node_2'), 2_000);
      await store.nodeReports.say('home_a', report('node_3'), 3_000);
      assert.deepEqual((await store.nodeReports.list()).map(({ report: { node }, atMs }) => [node, atMs]), [['node_3', 3_000], ['node_2', 2_000]]);
      assert.deepEqual((await store.nodeReports.list())[0]!.report, report('node_3'));
      await store.nodeReports.say('home_a', report('node_3'), 86_400_000 + 2_500);
      assert.deepEqual((await store.nodeReports.list()).map(({ report: { node } }) => node), ['node_3']);
    });

    test('the report of a node that did not end in order, or has calls left, is kept for the closing of a month', async () => {
      const dayMs = 86_400_000;
      const stopped = (node: string, rowsToShip: number): NodeReport =>
        ({ ...report(node), state: 'stopped', journal: { ...report(node).journal, rowsToShip } });
      const now = 1_000 * dayMs;
      await store.nodeReports.say('home_killed', report('node_killed'), now);
      await store.nodeReports.say('home_left', stopped('node_left', 3), now);
      await store.nodeReports.say('home_stopped', stopped('node_stopped', 0), now);
      await store.nodeReports.say('home_now', report('node_now'), now + 40 * dayMs);
      assert.deepEqual((await store.nodeReports.list()).map(({ report: { node } }) => node), ['node_now'], 'for people it is gone');
      const unsettled = async () => (await store.nodeReports.listUnsettled()).map(({ report: { node } }) => node);
      assert.deepEqual(await unsettled(), ['node_now', 'node_killed', 'node_left']);
      await store.nodeReports.say('home_killed', stopped('node_killed_again', 0), now + 41 * dayMs);
      assert.deepEqual(await unsettled(), ['node_now', 'node_left'], 'the next process on the same data directory shipped all');
    });

    test('the first organization is the home, also once it is erased', async () => {
      const first = await newOrganization();
      await newOrganization();
      assert.equal(await store.organizations.home(), first);
      await granted(store.erasure.begin(first));
      await newOrganization();
      assert.equal(await store.organizations.home(), first);
    });
  });
}
