/** A cell on Citus through upgrades: what newer versions add to it is on its worker too, and moves with it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { citusBin, testCitus, withoutCitus, type TestCitus } from '@metergate/testkit/citus.ts';
import { cellUrl } from '../../engine/cell-url.ts';
import { migrations } from '../../schema/migrations/list.ts';
import { makeOlderStore } from '../../schema/test-support/older-store.ts';
import { openWithCells, type Store } from '../../store.ts';
import { postgresFixture, testMasterKey, type EngineFixture } from '../../test-support/contract-fixture.ts';
import { makeCell } from './make-cell.ts';

/** Cells are there from this schema on. */
const firstWithCells = 61;

describe('cells on Citus', { skip: citusBin() === null ? withoutCitus : false }, () => {
  let citus: TestCitus;
  let fixture: EngineFixture;
  let url: string;
  let store: Store;
  before(async () => {
    citus = (await testCitus())!;
    fixture = await postgresFixture();
    url = await citus.createDatabase();
  });
  after(async () => {
    await fixture?.end();
    await citus?.stop();
  });

  const open = async (): Promise<Store> => {
    ({ store } = await openWithCells({ url, masterKey: testMasterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true }));
    return store;
  };

  for (let from = firstWithCells; from < migrations.length; from += 1) {
    test(`one of schema ${from} is brought up to date, and moved to the other worker with all that is new`, async () => {
      const name = `from_${from}`;
      const own = cellUrl(url, name);
      await makeCell(url, name, async () => {
        await makeOlderStore(fixture, own, from);
        return true;
      });
      await (await open()).close();
      const listed = 'insert into cell (number, name, schema, state, added_at_ms)';
      await fixture.run(url, [`${listed} values (0, 'default', '', 'open', 0) on conflict do nothing`,
        `${listed} select max(number) + 1, '${name}', '${name}', 'open', 0 from cell`]);
      const cell = (await (await open()).cells.list()).find((each) => each.name === name)!;
      assert.equal(cell.away, null);
      assert.deepEqual(await fixture.query(own, 'select version from metergate_schema'), [{ version: String(migrations.length) }]);
      const holder = await citus.workerOf(url, name);
      await citus.move(url, name, citus.workers.find((worker) => worker !== holder)!);
      assert.notEqual(await citus.workerOf(url, name), holder);
      const left = await fixture.query(url, `select distinct nodeport from citus_shards where table_name::text like '${name}.%'`);
      assert.equal(left.length, 1);
      await store.close();
    });
  }
});
