/**
 * What a gateway or a platform of an older version writes would be missing from sums that it does not know. The store takes none of it, and the
 * new version ships what waits in the journal (decision 0104).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type pg from 'pg';
import { StoreFault } from '../engine/fault.ts';
import { batchOf, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores, onDefaultCell, onPostgres } from '../test-support/contract-store.ts';
import { migrations, oldestWriter, ownWriter } from './migrations/list.ts';

const contractStore = contractStores();

for (const on of bothEngines) {
  describe(`the oldest writer on ${on.title}`, async () => {
    const { context, url } = await contractStore(on);

    test('is stated by the store, and this version is one that it accepts', async () => {
      const [stated] = await context.query(url, 'select version, oldest_writer from metergate_schema');
      assert.deepEqual(Object.values(stated!).map(Number), [migrations.length, oldestWriter]);
      assert.ok(oldestWriter <= ownWriter);
    });
  });
}

describe('writers older than the store accepts, on PostgreSQL', async () => {
  const { context, url, store, newOrganization } = await contractStore(onPostgres);
  const state = (writer: number) => context.run(url, [`update metergate_schema set oldest_writer = ${writer}`]);
  const kept = async (segment: string): Promise<number[]> =>
    (await context.query(url, `select mark from journal_segment where id = '${segment}'`)).map(({ mark }) => Number(mark));

  test('a batch is refused as a whole, in a sentence that says what to do, and taken again once its version is accepted', async () => {
    const organization = await newOrganization();
    const [first, second] = [sampleRecord(organization), sampleRecord(organization)];
    await store.calls.ship(batchOf('seg_known', [first]));
    await state(ownWriter + 1);
    try {
      for (const segment of ['seg_known', 'seg_new']) {
        await assert.rejects(store.calls.ship({ segment, through: 2, records: [{ seq: 2, record: second }] }), (fault: unknown) =>
          fault instanceof StoreFault && fault.code === 'writer_outdated' && /was upgraded.* Update this node/.test(fault.message));
      }
    } finally {
      await state(oldestWriter);
    }
    assert.deepEqual([await kept('seg_known'), await kept('seg_new')], [[1], []]);
    await store.calls.ship({ segment: 'seg_known', through: 2, records: [{ seq: 2, record: second }] });
    assert.equal((await keptCalls(store, organization)).length, 2);
  });

  test('a gateway node of such a version is named to the operator', async () => {
    await store.leases.begin('node_new' as never, 'new');
    await context.run(url, [`insert into gateway_node (id, home, started_at_ms, heard_at_ms, freed) values ('node_old', 'old', 0, 0, 0)`]);
    const { nodes } = await store.gatewayNodes.list();
    assert.deepEqual(nodes.map(({ id, outdated }) => [id, outdated]), [['node_new', false], ['node_old', true]]);
  });

  test('work that one platform does at a time is not given to an older one', async () => {
    const time = { nowMs: startMs, untilMs: startMs + 1_000 };
    assert.notEqual(await store.workLeases.hold('retention', 'newer', time), null);
    await state(ownWriter + 1);
    try {
      await assert.rejects(store.workLeases.hold('retention', 'newer', time), { code: 'writer_outdated' });
    } finally {
      await state(oldestWriter);
    }
  });
});

describe('writers that name no version, on PostgreSQL', async () => {
  const { context, store, url, newOrganization } = await contractStore(onDefaultCell);

  test('what they write is refused, whether the store knows their segment or not', async () => {
    await store.calls.ship(batchOf('seg_of_both', [sampleRecord(await newOrganization())]));
    for (const segment of ['seg_of_both', 'seg_unknown']) {
      await assert.rejects(context.run(url, [`insert into journal_segment (id, mark) values ('${segment}', 0) on conflict (id) do nothing`]),
        (error: unknown) => (error as pg.DatabaseError).code === 'TOOLD');
    }
  });
});
