/** On both engines: single refusals are found by either id, by key, run and code, by one organization only; floods, age and erasure bound them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestIdFrom, type OrganizationId, type ServiceKeyId } from '@metergate/core/id.ts';
import type { RefusalEntry } from '@metergate/core/report/refusal-entries.ts';
import { granted } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { refusalEntriesKeptMs, type RefusalFilter } from './refusal-log.ts';

const contractStore = contractStores();
const startMs = Date.UTC(2026, 8, 1);
let made = 0;
const freshId = () => requestIdFrom((made += 1).toString(16).padStart(32, '0'));

for (const on of bothEngines) {
  describe(`single refusals on ${on.title}`, async () => {
    const { store, another, newOrganization } = await contractStore(on);
    const entry = (organization: OrganizationId, changed: Partial<RefusalEntry> = {}): RefusalEntry => ({
      organization, key: 'key_a' as ServiceKeyId, id: freshId(), answerId: freshId(), run: null, code: 'budget_exceeded', scope: 'key',
      window: 'month', refusedAtMs: startMs, ...changed,
    });
    const found = (organization: OrganizationId, filter: RefusalFilter = {}) =>
      store.refusalLog.page({ organization, fromMs: 0, toMs: startMs * 2, filter });

    test('each is found by either id of its answer, by key, run and code, and by no other organization', async () => {
      const [organization, neighbour] = [await newOrganization(), await newOrganization()];
      const one = entry(organization, { run: 'nightly', code: 'run_closed', scope: null, window: null });
      const two = entry(organization, { refusedAtMs: startMs + 1, key: 'key_b' as ServiceKeyId });
      await store.refusalLog.add([one, two, entry(neighbour, { run: 'nightly' })]);
      assert.deepEqual(await found(organization), [two, one], 'newest first, as it was sent');
      for (const filter of [{ request: one.id }, { request: one.answerId }, { run: 'nightly' }, { code: 'run_closed' }, { key: 'key_a' }]) {
        assert.deepEqual(await found(organization, filter), [one], JSON.stringify(filter));
        if (filter.request !== undefined) assert.deepEqual(await found(neighbour, filter), []);
      }
      for (const hostile of ['%', "' or 1=1 --", 'night\0ly\u{1F600}', '_'.repeat(512)]) {
        assert.deepEqual(await found(organization, { run: hostile, key: hostile, code: hostile, request: hostile }), []);
      }
    });

    test('sent twice it is kept once, from any node; pages go on behind a place, also among those of one moment', async () => {
      const organization = await newOrganization();
      const entries = Array.from({ length: 5 }, () => entry(organization));
      await store.refusalLog.add(entries);
      await (await another()).refusalLog.add(entries.toReversed());
      const all = await found(organization);
      assert.equal(all.length, 5);
      const read: RefusalEntry[] = [];
      for (let after: RefusalEntry | undefined; ;) {
        const page = await store.refusalLog.page({
          organization, fromMs: 0, toMs: startMs + 1, filter: {}, limit: 2,
          ...(after === undefined ? {} : { after: { at: after.refusedAtMs, id: after.id } }),
        });
        if (page.length === 0) break;
        read.push(...page);
        after = page.at(-1);
      }
      assert.deepEqual(read, all);
      assert.deepEqual(await store.refusalLog.page({ organization, fromMs: 0, toMs: startMs, filter: {} }), [], 'the end is not in the range');
    });

    test('a flood of one key pushes out its own, and others stay', async () => {
      const organization = await newOrganization();
      const quiet = entry(organization, { key: 'key_quiet' as ServiceKeyId, refusedAtMs: startMs - 1_000 });
      await store.refusalLog.add([quiet]);
      for (let at = 0; at < 1_400; at += 200) {
        await store.refusalLog.add(Array.from({ length: 200 }, (_, each) => entry(organization, { refusedAtMs: startMs + at + each })));
      }
      const kept = await found(organization);
      assert.ok(kept.length <= 1_502, `${kept.length} are kept`);
      assert.equal(kept[0]!.refusedAtMs, startMs + 1_399, 'the newest is there');
      assert.ok(kept.length < 1_401, 'the oldest went');
      assert.deepEqual(await found(organization, { key: 'key_quiet' }), [quiet]);
    });

    test('what is older than fourteen days is deleted', async () => {
      const organization = await newOrganization();
      const later = entry(organization, { refusedAtMs: startMs + refusalEntriesKeptMs + 3 * 3_600_000 });
      await store.refusalLog.add([entry(organization)]);
      await store.refusalLog.add([later]);
      assert.deepEqual(await found(organization), [later]);
    });

    test('of an erased organization nothing is left, and nothing is added that was on its way', async () => {
      const organization = await newOrganization();
      const late = { refusedAtMs: startMs + 2 * refusalEntriesKeptMs };
      await store.refusalLog.add([entry(organization, late)]);
      await granted(store.erasure.begin(organization));
      await store.refusalLog.add([entry(organization, late)]);
      assert.deepEqual(await found(organization), []);
    });
  });
}
