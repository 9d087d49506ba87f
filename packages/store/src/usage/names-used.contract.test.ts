/** Names are found by a part of them, the closest first, on both engines. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { batchOf, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();

for (const on of bothEngines) {
  describe(`names that were used, on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);

    test('are found by a part, whatever its case; the name itself first, then what begins so; nothing of another organization', async () => {
      const [organization, other] = [await newOrganization(), await newOrganization()];
      const records = ['search', 'research', 'Search-nightly', 'a%b_c', "'; drop table x --"].map((project, at) =>
        sampleRecord(organization, { project, model: `model-${at}`, labels: [`team:${project}`, 'team'], run: `run-${project.length}` }));
      await store.calls.ship(batchOf('seg_names', [...records, sampleRecord(other, { project: 'search-of-others' })]));
      for (const { run } of records) {
        await store.runs.open([{
          organization, id: run!, declared: null, effective: null, clampReason: null, startedAtMs: startMs, expiresAtMs: null,
          exposureLimit: null, mayCreate: true,
        }]);
      }
      const holding = (text: string, limit = 10) => store.usedNames.holding({ organization, text, sinceMs: 0, limit });
      assert.deepEqual((await holding('search')).projects, ['search', 'Search-nightly', 'research']);
      assert.deepEqual((await holding('SEARCH', 1)).projects, ['search']);
      assert.deepEqual((await holding('team')).labels[0], 'team');
      assert.deepEqual((await holding('model-')).models, ['model-0', 'model-1', 'model-2', 'model-3', 'model-4']);
      assert.deepEqual((await holding('run-6')).runs, ['run-6']);
      for (const literal of ['%b', '_c', "'; drop"]) assert.equal((await holding(literal)).projects.length, 1, literal);
      assert.deepEqual(await holding('no such name\0'), { projects: [], models: [], labels: [], runs: [] });
      assert.deepEqual((await store.usedNames.holding({ organization, text: 'team', sinceMs: startMs + 3 * 86_400_000, limit: 5 })).labels, []);
    });
  });
}
