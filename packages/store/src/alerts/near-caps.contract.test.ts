/** How many organizations are near a cap, the same on both engines: each counted once, by its worst cap, in the windows of the moment. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CalendarWindow } from '@metergate/core/spend/window.ts';
import { batchOf, granted, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import type { NearCapsPage } from './near-caps.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();

for (const on of bothEngines) {
  describe(`organizations near a cap on ${on.title}`, async () => {
    const { context, store, newOrganization } = await contractStore(on);

    test('reached, near from four fifths on, and neither; a window that is over counts no more', async () => {
      const count = async (atMs: number, limit: number = 100): Promise<readonly [reached: number, near: number]> => {
        const sums: [number, number] = [0, 0];
        for (let after: OrganizationId | null = null; ;) {
          const page: NearCapsPage = await store.nearCaps.count(atMs, { after, limit });
          sums[0] += page.reached;
          sums[1] += page.near;
          if (page.next === null) return sums;
          after = page.next;
        }
      };
      assert.deepEqual(await count(startMs), [0, 0]);
      const spending = async (spent: bigint, caps: readonly (readonly [window: CalendarWindow, limit: bigint])[]): Promise<OrganizationId> => {
        const organization = await newOrganization();
        for (const [window, limit] of caps) {
          const cap = { organization, scope: 'organization', subject: null, window, limit: nanoDollars(limit), mode: 'refuse' } as const;
          await granted(store.caps.set(cap));
        }
        const record = sampleRecord(organization, { cost: nanoDollars(spent), costSource: 'priced' });
        await store.calls.ship(batchOf(`seg_near_${context.name}_${organization}`, [record]));
        return organization;
      };
      await spending(100n, [['lifetime', 100n], ['day', 1_000n]]);
      await spending(80n, [['lifetime', 100n], ['day', 100n]]);
      await spending(79n, [['lifetime', 100n]]);
      await spending(500n, [['day', 100n]]);
      for (const limit of [1, 2, 3, 4, 100]) assert.deepEqual(await count(startMs, limit), [2, 1]);
      assert.deepEqual(await count(startMs + 3 * 86_400_000), [1, 1]);
    });
  });
}
