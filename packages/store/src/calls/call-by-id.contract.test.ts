/** A call is found by its id through an index, also on a store whose index was never finished. On both engines. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { batchOf, openTestStore, sampleRecord } from '../test-support/contract-fixture.ts';

const contractStore = contractStores();

for (const engine of bothEngines) {
  describe(`calls by id on ${engine.title}`, async () => {
    const { store, context, url, newOrganization } = await contractStore(engine);

    test('a call is found among others whose ids end alike, and only by its organization', async () => {
      const [organization, other] = [await newOrganization(), await newOrganization()];
      const [one, two] = ['1', '2'].map((first) => sampleRecord(organization, { id: `req_${first}123456789abcdef0123456789abcdef` as never }));
      await store.calls.ship(batchOf('seg_alike', [one!, two!]));
      assert.equal((await store.callPages.find(null, two!.id))?.id, two!.id);
      assert.equal(await store.callPages.find(other, two!.id), null);
      assert.equal(await store.callPages.find(organization, two!.id.replace('req_2', 'req_3')), null);
      assert.equal((await store.receipts.find(one!.id))?.record.id, one!.id);
    });

    test('the engine looks it up in the index', async () => {
      const statement = `select * from call_record where substr(id, 29, 8) = '89abcdef' and id = 'req_1123456789abcdef0123456789abcdef'`;
      assert.match(await context.planOf(url, statement), /(?:using index|index scan using) call_record_by_id/i);
    });

    if (engine.title === 'PostgreSQL') {
      test('an index whose building was interrupted is rebuilt by the next start that upgrades stores', async () => {
        const valid = async () => (await context.query(url,
          `select indisvalid as valid from pg_index where indexrelid = to_regclass('call_record_by_id')`))[0]?.['valid'];
        await context.query(url, `update pg_index set indisvalid = false where indexrelid = 'call_record_by_id'::regclass`);
        assert.equal(await valid(), false);
        await Promise.all([openTestStore(url), openTestStore(url)].map(async (opened) => (await opened).close()));
        assert.equal(await valid(), true);
        await context.query(url, 'drop index call_record_by_id');
        await (await openTestStore(url, { create: false })).close();
        assert.equal(await valid(), undefined, 'a gateway leaves it to others');
        await (await openTestStore(url)).close();
        assert.equal(await valid(), true);
      });
    }
  });
}
