/** On both engines: counted refusals add up by key, reason and time, for one organization only; old and erased ones are removed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import type { RefusalCount } from '@metergate/core/report/refusal-count.ts';
import { granted } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const hour = 3_600_000;
const startMs = Date.UTC(2026, 8, 1);

for (const on of bothEngines) {
  describe(`refusals by hour on ${on.title}`, async () => {
    const { store, another, newOrganization } = await contractStore(on);
    const count = (organization: OrganizationId, changed: Partial<RefusalCount> = {}): RefusalCount => ({
      organization, key: 'key_a' as ServiceKeyId, code: 'rate_limit_exceeded', scope: null, window: null, hourMs: startMs, refusals: 1, ...changed,
    });
    const all = (organization: OrganizationId) => ({ organization, fromMs: 0, toMs: startMs * 2 });

    test('counts of several nodes add up; reasons, keys and hours are separate', async () => {
      const organization = await newOrganization();
      const neighbour = await newOrganization();
      const capped = { code: 'budget_exceeded', scope: 'organization', window: 'month' } as const;
      await store.refusalHours.add([count(organization, { refusals: 3 }), count(organization, { ...capped, key: null }), count(neighbour)]);
      await (await another()).refusalHours.add([count(organization, { refusals: 4 }), count(organization, { hourMs: startMs + 30 * hour })]);
      assert.deepEqual(await store.refusalHours.byKey(all(organization), 10), [
        { key: 'key_a', code: 'rate_limit_exceeded', scope: null, window: null, refusals: 8, firstHourMs: startMs, lastHourMs: startMs + 30 * hour },
        { key: null, ...capped, refusals: 1, firstHourMs: startMs, lastHourMs: startMs },
      ]);
      assert.equal((await store.refusalHours.byKey(all(organization), 1)).length, 1);
      assert.deepEqual(await store.refusalHours.steps({ ...all(organization), stepMs: 24 * hour }), [
        { startMs, code: 'budget_exceeded', refusals: 1 }, { startMs, code: 'rate_limit_exceeded', refusals: 7 },
        { startMs: startMs + 24 * hour, code: 'rate_limit_exceeded', refusals: 1 },
      ]);
      const firstHour = { organization, fromMs: startMs, toMs: startMs + hour };
      assert.deepEqual((await store.refusalHours.byKey(firstHour, 10)).map(({ refusals }) => refusals), [7, 1], 'the end is not in the range');
    });

    test('two nodes that write the same many rows at once do not lock each other out', async () => {
      const organization = await newOrganization();
      const other = await another();
      const counts = Array.from({ length: 300 }, (_, index) => count(organization, { key: `key_${index}` as ServiceKeyId }));
      await Promise.all([1, 2, 3].flatMap(() => [store.refusalHours.add(counts), other.refusalHours.add(counts.toReversed())]));
      const rows = await store.refusalHours.byKey(all(organization), 1_000);
      assert.deepEqual([rows.length, new Set(rows.map(({ refusals }) => refusals))], [300, new Set([6])]);
    });

    test('counts older than ninety days are removed', async () => {
      const organization = await newOrganization();
      await store.refusalHours.add([count(organization), count(organization, { hourMs: startMs + 91 * 24 * hour })]);
      assert.deepEqual((await store.refusalHours.byKey(all(organization), 10)).map(({ refusals }) => refusals), [1]);
    });

    test('of an erased organization nothing is left, and nothing is added that was on its way', async () => {
      const organization = await newOrganization();
      await store.refusalHours.add([count(organization, { hourMs: startMs + 200 * 24 * hour })]);
      await granted(store.erasure.begin(organization));
      await store.refusalHours.add([count(organization, { hourMs: startMs + 200 * 24 * hour })]);
      assert.deepEqual(await store.refusalHours.byKey(all(organization), 10), []);
    });

    test('nothing counted is nothing done', async () => {
      await store.refusalHours.add([]);
    });
  });
}
