/** What an upgrade would do is what it does: the plan names the steps that run, and changes nothing. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { postgresFixture, sqliteFixture, testMasterKey } from '../test-support/contract-fixture.ts';
import { openStore } from '../store.ts';
import { migrations } from './migrations/list.ts';
import type { UpgradeProgress } from './migrations/prepare-schema.ts';
import { planUpgrade } from './migrations/upgrade-plan.ts';
import { olderStore } from './test-support/older-store.ts';

for (const [name, open] of [['SQLite', async () => sqliteFixture()], ['PostgreSQL', postgresFixture]] as const) {
  describe(`the plan of an upgrade on ${name}`, async () => {
    const fixture = await open();
    after(() => fixture.end());

    test('names each step that the upgrade then takes, in its order, and the records that some of them read', async () => {
      const url = await olderStore(fixture, 30);
      const plan = await planUpgrade(url);
      assert.deepEqual([plan.from, plan.to, plan.records], [30, migrations.length, 3]);
      assert.ok(plan.seconds >= 1);
      assert.deepEqual(plan.steps.filter(({ readsRecords }) => readsRecords).map(({ version }) => version), [
        31, 32, 33, 34, 36, 39, 42, 44, 48, 58,
      ]);
      assert.deepEqual(await planUpgrade(url), plan, 'it changes nothing');
      const heard: UpgradeProgress[] = [];
      const store = await openStore({
        url, masterKey: testMasterKey, clock: Date.now, randomBytes, create: true, progress: (progress) => heard.push(progress),
      });
      await store.close();
      assert.deepEqual(heard.map(({ at }) => at), [...plan.steps.map(({ version }) => version), null]);
      const done = await planUpgrade(url);
      assert.deepEqual([done.from, done.steps, done.seconds], [migrations.length, [], 0]);
    });

    test('a new store is no upgrade, and nobody hears of one', async () => {
      const url = await fixture.freshUrl();
      if (name === 'PostgreSQL') assert.equal((await planUpgrade(url)).from, null);
      const heard: UpgradeProgress[] = [];
      await (await openStore({
        url, masterKey: testMasterKey, clock: Date.now, randomBytes, create: true, progress: (progress) => heard.push(progress),
      })).close();
      assert.deepEqual(heard, []);
    });
  });
}
