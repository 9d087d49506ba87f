/**
 * A shared store takes organizations with many rows ahead of the others. Wherever a shipper dies or gets no answer, each row is stored once, in the
 * order of its organization, and the store that was put back between two of these batches gets all again.
 */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { StoreFault } from '../engine/fault.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { batchesByOrganization, organizationGroup, ownBatchRows } from './by-organization.ts';
import type { CallBatch, CallSink } from './call-sink.ts';
import { settingRefusedRowsAside } from './refused-rows.ts';
import { createShipper, type Shipper } from './shipper.ts';
import { journalFixture } from './test-support/journal-fixture.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';

const contractStore = contractStores();

test('a group of organizations with many rows has a separate batch, nodes begin at different ones, and the last batch moves the segment', () => {
  const dueOf = (counts: Readonly<Record<string, number>>) => {
    const organizations = Object.entries(counts).flatMap(([organization, count]) => Array.from({ length: count }, () => organization));
    const records = organizations.map((organization, index) => ({ seq: index + 1, record: sampleRecord(sampleOpening(index + 1, organization), 1) }));
    return { records, runEvents: [], count: records.length, through: records.length, sealed: false };
  };
  const shapes = (place: number, counts: Readonly<Record<string, number>>) =>
    batchesByOrganization({ segment: 'seg', after: 0, place }, dueOf(counts)).map(({ ahead, without, through, records }) =>
      [ahead?.join(' ') ?? `all without ${without?.join(' ')}`, records.length, through]);
  // The organizations a and i are of one group.
  assert.deepEqual(['org_a', 'org_i', 'org_b', 'org_c'].map((each) => organizationGroup(each as OrganizationId)), [2, 2, 3, 4]);
  const [many, half] = [ownBatchRows, ownBatchRows / 2];
  const all = { org_b: many, org_c: many - 1, org_a: half, org_i: half };
  const through = 3 * many - 1;
  assert.deepEqual(shapes(0, all),
    [['org_a org_i', many, through], ['org_b', many, through], ['all without org_a org_i org_b', many - 1, through]]);
  assert.deepEqual(shapes(1, all),
    [['org_b', many, through], ['org_a org_i', many, through], ['all without org_b org_a org_i', many - 1, through]]);
  assert.deepEqual(shapes(0, { org_a: many, org_b: many }), [['org_a', many, 2 * many], ['all without org_a', many, 2 * many]]);
  assert.deepEqual(shapes(0, { org_a: 2 * many, org_i: many }), [['all without undefined', 3 * many, 3 * many]]);
});

for (const on of bothEngines) {
  describe(`organizations shipped ahead, on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    let numbers = 0;

    async function journalled(t: TestContext) {
      const ofGroups = new Map<number, OrganizationId>();
      while (ofGroups.size < 3) {
        const made = await newOrganization();
        ofGroups.set(organizationGroup(made), made);
      }
      const organizations = [...ofGroups].sort(([one], [other]) => one - other).map(([, organization]) => organization);
      const counts = [ownBatchRows + 30, ownBatchRows + 20, 7];
      const journal = journalFixture(t);
      const records: CallRecord[] = [];
      for (let index = 0; index < Math.max(...counts); index += 1) {
        for (const [which, organization] of organizations.entries()) {
          if (index >= counts[which]!) continue;
          const opening = { ...sampleOpening(numbers += 1, organization), path: `/v1/{a,b}\\"${index}`, project: index % 3 === 0 ? 'NULL' : '' };
          records.push(sampleRecord(opening, numbers));
          journal.journal.open(opening, assert.ifError);
        }
      }
      journal.endTurn();
      for (const record of records) journal.journal.close(record, () => {});
      journal.endTurn();
      const stored = async (): Promise<CallRecord[]> => (await Promise.all(organizations.map((organization) =>
        keptCalls(store, organization)))).flat();
      const byId = (one: CallRecord, other: CallRecord): number => (one.id < other.id ? -1 : 1);
      const isWhole = async (): Promise<void> => {
        assert.deepEqual((await stored()).sort(byId), records.toSorted(byId));
        for (const organization of organizations) {
          const rows = await context.query(url, 'select id from call_record where organization = $1 order by receipt_sequence', [organization]);
          assert.deepEqual(rows.map(({ id }) => id), records.filter((record) => record.organization === organization).map(({ id }) => id));
          const [days] = await context.query(url, `select calls from spend_day where organization = $1 and scope = 'organization'
            and day_ms > 0`, [organization]);
          assert.equal(Number(days?.['calls']), counts[organizations.indexOf(organization)]);
        }
        assert.deepEqual(await context.query(url, 'select * from journal_ahead'), []);
      };
      const shipperTo = (sink: CallSink): Shipper => {
        const shipper = createShipper({ directory: journal.directory, calls: sink, clock: () => 0, distant: true });
        t.after(() => shipper.close());
        return shipper;
      };
      return { organizations, journal, records, shipperTo, isWhole };
    }

    test('whichever batch fails, before or after the store kept it, all is stored once', async (t) => {
      const { shipperTo, isWhole } = await journalled(t);
      let fails: 'before' | 'after' | null = 'before';
      let left = 0;
      const sink: CallSink = {
        mark: store.calls.mark, recorded: store.calls.recorded,
        async ship(batch: CallBatch) {
          const failsNow = left-- === 0 ? fails : null;
          if (failsNow === 'before') throw new Error('away');
          await store.calls.ship(batch);
          if (failsNow === 'after') throw new Error('the answer got lost');
        },
      };
      for (const [how, at] of [['before', 0], ['after', 0], ['before', 1], ['after', 1], ['before', 2], ['after', 0]] as const) {
        [fails, left] = [how, at];
        await assert.rejects(shipperTo(sink).pass());
      }
      fails = null;
      await shipperTo(sink).pass();
      await isWhole();
    });

    test('a store that was put back to between two batches gets the rows again', async (t) => {
      const { organizations, shipperTo, isWhole } = await journalled(t);
      const lost = organizations[0]!;
      let shipped = 0;
      const shipper = shipperTo({
        mark: store.calls.mark, recorded: store.calls.recorded,
        async ship(batch: CallBatch) {
          // The first batch is gone when the last one comes: as if it had never been shipped.
          if (shipped > 0 || batch.ahead === undefined) await store.calls.ship(batch);
          shipped += 1;
        },
      });
      await assert.rejects(shipper.pass(), (error: unknown) => error instanceof StoreFault && error.code === 'store_went_back');
      assert.deepEqual(await keptCalls(store, lost), []);
      await shipper.pass();
      await isWhole();
    });

    test('a row that the store refuses is kept aside, also if the process dies before the segment\'s mark has passed it', async (t) => {
      const { journal, records, shipperTo } = await journalled(t);
      const refused = records[40]!;
      let state: 'refuses' | 'sound' = 'refuses';
      const sink: CallSink = {
        mark: store.calls.mark, recorded: store.calls.recorded,
        async ship(batch: CallBatch) {
          const refuses = state === 'refuses';
          if (refuses && batch.records.some(({ record }) => record.id === refused.id)) throw new StoreFault('row_refused', 'not this one');
          if (refuses && batch.ahead === undefined && batch.without !== undefined) throw new Error('died');
          await store.calls.ship(batch);
        },
      };
      const aside = () => settingRefusedRowsAside({ directory: journal.directory, calls: sink, warn: () => {} });
      await assert.rejects(shipperTo(aside()).pass(), /died/);
      state = 'sound';
      const again = aside();
      assert.equal(await again.offerAgain(), 0);
      await shipperTo(again).pass();
      const ids = (await context.query(url, 'select id from call_record where organization = $1', [refused.organization])).map(({ id }) => id);
      assert.equal(ids.filter((id) => id === refused.id).length, 1);
      assert.equal(ids.length, records.filter(({ organization }) => organization === refused.organization).length);
    });

    test('a mark of one of several organizations that are ahead does not step back', async () => {
      const organizations = [await newOrganization(), await newOrganization()];
      const [first, other] = organizations.map((organization) => sampleRecord(sampleOpening(numbers += 1, organization), 1));
      const shipped = { segment: 'seg_marks', after: 0 };
      await store.calls.ship({ ...shipped, through: 9, ahead: [organizations[0]!], records: [{ seq: 9, record: first! }] });
      await store.calls.ship({ ...shipped, through: 5, ahead: organizations, records: [{ seq: 5, record: other! }] });
      assert.deepEqual(await Promise.all(organizations.map((each) => store.calls.mark('seg_marks', each))), [9, 5]);
      await context.run(url, ['delete from journal_ahead']);
    });

    test('what died with its tail lost numbers its last rows above what any organization has shipped', async () => {
      const organization: OrganizationId = await newOrganization();
      const record = sampleRecord(sampleOpening(numbers += 1, organization), 1);
      await store.calls.ship({ segment: 'seg_ahead', after: 0, through: 12, ahead: [organization], records: [{ seq: 9, record }] });
      const another = await newOrganization();
      assert.deepEqual([
        await store.calls.mark('seg_ahead'), await store.calls.mark('seg_ahead', organization), await store.calls.mark('seg_ahead', another),
        await store.calls.mark('seg_ahead', 'anyone'),
      ], [0, 12, 0, 12]);
      await assert.rejects(store.calls.ship({ segment: 'seg_ahead', through: 13, ahead: [another], records: [{ seq: 13, record }] }), RangeError);
      await context.run(url, ['delete from journal_ahead']);
    });
  });
}
