/**
 * Sums of spend compared with their records, on both engines: sound sums are found sound while records arrive, and any
 * sum that is not that of its records is named with both figures.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';
import { granted, sampleRecord } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import type { SpendPlace } from './apply-spend.ts';
import { allDaysMs } from './spend-days.ts';
import { looksOfWalk, walkOf } from './spend-reconciler.ts';

const contractStore = contractStores();
const hourMs = 3_600_000;
const placeOf = ({ scope, subject, dayMs }: SpendPlace): string => `${scope} ${subject} ${dayMs === allDaysMs ? 'all' : dayName(dayMs)}`;
const keepGoing = async (): Promise<boolean> => true;

/** A separate store with one organization, and ways to change it. */
async function looksOn(on: (typeof bothEngines)[number]) {
  const { context, url, store, newOrganization } = await contractStore(on);
  let organization = await newOrganization();
  // Has its turn for a full walk only after the looks that a test counts.
  while (walkOf(organization) < looksOfWalk / 2) organization = await newOrganization();
  let segments = 0;
  return {
    ship: (count: number) => store.calls.ship({
      segment: `seg_looked${++segments}`, through: count, records: Array.from({ length: count }, (_, at) => ({
        seq: at + 1, record: sampleRecord(organization, {
          startedAtMs: Date.UTC(2026, 0, 30) + (at % 97) * hourMs, key: `key_${at % 3}` as ServiceKeyId, project: null, cost: nanoDollars(BigInt(at)),
        }),
      })),
    }),
    look: async () => {
      const { records, differences } = (await store.spendReconciler.reconcile(keepGoing))!;
      return { records, differences: differences.map(placeOf) };
    },
    change: (statement: string) => context.query(url, statement),
  };
}

for (const on of bothEngines) {
  describe(`reconciling spend on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    const organization = await newOrganization();
    // This one has no call.
    await newOrganization();
    let segments = 0;

    const shipped = (records: readonly CallRecord[]): Promise<void> => store.calls.ship({
      segment: `seg_reconciled${++segments}`, through: records.length, records: records.map((record, at) => ({ seq: at + 1, record })),
    });
    const records = (count: number): CallRecord[] => Array.from({ length: count }, (_, at) => sampleRecord(organization, {
      startedAtMs: Date.UTC(2026, 0, 30) + (at % 97) * hourMs, key: `key_${at % 3}` as ServiceKeyId, project: at % 4 === 0 ? null : `p${at % 5}`,
      cost: at % 7 === 0 ? null : nanoDollars(BigInt(at)), usage: at % 7 === 0 ? 'unknown' : 'reported',
    }));

    test('sound sums are found sound, in slices, even while records arrive between them', async () => {
      await shipped(records(2_000));
      let slices = 0;
      const found = await store.spendReconciler.reconcile(async () => {
        slices += 1;
        await shipped(records(30));
        return true;
      });
      assert.deepEqual([found?.organizations, found?.differences], [2, []]);
      assert.ok(found!.records >= 2_000);
      assert.ok(slices >= 6, 'the walk gives way between slices');
    });

    test('a walk that is asked to end does so, and reports nothing', async () => {
      assert.equal(await store.spendReconciler.reconcile(async () => false), null);
    });

    test('a sum that is off, one that is gone and one that has no records are each named with both figures, and not repaired', async () => {
      const sums = await context.query(url, 'select cast(spent_nano as text) as spent, cast(calls as text) as calls from spend_day'
        + " where organization = $1 and scope = 'organization' and day_ms = -1", [organization]);
      const spent = BigInt(String(sums[0]?.['spent']));
      const calls = Number(sums[0]?.['calls']);
      await context.query(url, "update spend_day set spent_nano = spent_nano - 1 where organization = $1 and scope = 'organization' and day_ms = -1",
        [organization]);
      await context.query(url, `delete from spend_day where organization = $1 and subject = 'key_1' and day_ms = ${Date.UTC(2026, 1, 1)}`,
        [organization]);
      await context.query(url, 'insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, gap_calls)'
        + " values ($1, 'project', 'never', 0, 5, 1, 0, 0)", [organization]);
      for (let run = 0; run < 2; run += 1) {
        const found = (await store.spendReconciler.reconcile(keepGoing))!.differences;
        assert.deepEqual(found.map(placeOf).sort(), ['key key_1 2026-02-01', 'organization  all', 'project never 1970-01-01']);
        const lifetime = found.find(({ scope }) => scope === 'organization')!;
        assert.deepEqual([lifetime.kept.spent, lifetime.derived.spent, lifetime.derived.calls], [spent - 1n, spent, calls]);
        const gone = found.find(({ scope }) => scope === 'key')!;
        assert.equal(gone.kept.calls, 0);
        assert.ok(gone.derived.calls > 0);
        const alone = found.find(({ scope }) => scope === 'project')!;
        assert.deepEqual([alone.kept, alone.derived.calls], [{ spent: 5n, calls: 1, unknownCalls: 0, unpricedCalls: 0, gapCalls: 0 }, 0]);
      }
    });

    test('once everything is sound, a pass reads only new records; a wrong sum is reported by the very next pass', async () => {
      const { ship, look, change } = await looksOn(on);
      await ship(1_000);
      assert.deepEqual([(await look()).records, (await look()).records], [1_000, 0]);
      await ship(30);
      assert.deepEqual(await look(), { records: 30, differences: [] });
      await ship(20);
      assert.deepEqual(await look(), { records: 50, differences: [] }, 'those of two looks');
      assert.deepEqual(await look(), { records: 20, differences: [] });
      await change("update spend_day set calls = calls + 1 where scope = 'key' and subject = 'key_2' and day_ms = -1");
      for (let times = 0; times < 2; times += 1) assert.deepEqual((await look()).differences, ['key key_2 all']);
      await change("update spend_day set calls = calls - 1 where scope = 'key' and subject = 'key_2' and day_ms = -1");
      assert.deepEqual((await look()).differences, []);
    });

    test('a wrong record is reported within 24 passes, and at each from then on', async () => {
      const { ship, look, change } = await looksOn(on);
      await ship(500);
      await look();
      await change('update call_record set cost_nano = cost_nano + 1 where sequence = 250');
      const told: boolean[] = [];
      for (let looks = 0; looks < looksOfWalk + 1; looks += 1) told.push((await look()).differences.length > 0);
      const first = told.indexOf(true);
      assert.ok(first !== -1 && first < looksOfWalk, String(told));
      assert.ok(told.slice(first).every(Boolean));
    });

    test('the remaining sums of an erased organization are sound, without its projects', async () => {
      const erased = (await granted(store.organizations.create({ name: 'erased soon', plan: 'scale' }))).id;
      await shipped(records(600).map((record) => ({ ...record, organization: erased })));
      await granted(store.erasure.begin(erased));
      const differences = async () => (await store.spendReconciler.reconcile(keepGoing))!.differences.filter((each) => each.organization === erased);
      assert.deepEqual(await differences(), []);
      while (await store.erasure.eraseSlice()) assert.deepEqual(await differences(), []);
      assert.deepEqual(await differences(), []);
    });
  });
}
