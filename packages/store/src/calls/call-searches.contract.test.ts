/** Calls that failed, and those whose cost is not whole, have a separate index each. On both engines. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failedCalls, lackingCost } from '../schema/call-searches.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { batchOf, sampleRecord, startMs } from '../test-support/contract-fixture.ts';

const contractStore = contractStores();

for (const engine of bothEngines) {
  describe(`searches of calls on ${engine.title}`, async () => {
    const { store, context, url, newOrganization } = await contractStore(engine);

    test('calls are found by their status and by what their cost lacks, newest first, a page at a time', async () => {
      const organization = await newOrganization();
      const at = (minute: number, change: object) => sampleRecord(organization, { startedAtMs: startMs + minute * 60_000, ...change });
      const throttled = at(1, { status: 429, usage: 'none' });
      const unfound = at(2, { status: 404, usage: 'none' });
      const cut = at(3, { outcome: 'cut', usage: 'partial' });
      const unpriced = at(4, { costSource: 'unpriced', cost: null });
      const gap = at(5, { costGaps: ['service_tier'] });
      const lost = at(6, { outcome: 'failed', status: null, usage: 'unknown', cost: null });
      await store.calls.ship(batchOf(`seg_${organization}`, [at(0, {}), throttled, unfound, cut, unpriced, gap, lost]));
      const found = async (filter: object) =>
        (await store.callPages.page({ organization, filter, limit: 10 }))!.map(({ startedAtMs }) => (startedAtMs - startMs) / 60_000);
      assert.deepEqual(await found({ status: 'error' }), [6, 3, 1]);
      assert.deepEqual(await found({ status: { from: 400, below: 500 } }), [2, 1]);
      assert.deepEqual(await found({ status: { from: 200, below: 300 } }), [5, 4, 3, 0]);
      assert.deepEqual(await found({ lacks: 'any' }), [6, 5, 4, 3]);
      assert.deepEqual([await found({ lacks: 'unknown' }), await found({ lacks: 'unpriced' }), await found({ lacks: 'gaps' })], [[6, 3], [4], [5]]);
      assert.deepEqual(await found({ lacks: 'any', status: 'error', key: cut.key }), [6, 3]);
      const first = (await store.callPages.page({ organization, filter: { status: 'error' }, limit: 2 }))!;
      const next = await store.callPages.page({ organization, filter: { status: 'error' }, limit: 2, after: first.at(-1)! });
      assert.deepEqual(next!.map(({ id }) => id), [throttled.id]);
    });

    for (const [name, condition] of [['call_record_failed', failedCalls], ['call_record_lacking_cost', lackingCost]] as const) {
      test(`the engine takes ${name}, in the order of the list`, async () => {
        const statement = `select * from call_record where organization = 'org_1' and started_at_ms >= 5 and ${condition}
          order by started_at_ms desc, sequence desc limit 10`;
        const plan = await context.planOf(url, statement);
        assert.match(plan, new RegExp(`${name}(?:_\\d+)?\\b`));
        assert.doesNotMatch(plan, /sort|temp b-tree/i);
      });
    }
  });
}
