/** What an upgrade would do is what it does: the plan names the steps that run, and changes nothing. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { postgresFixture, sqliteFixture, testMasterKey } from '../test-support/contract-fixture.ts';
import { openStore } from '../store.ts';
import { migrations } from './migrations/list.ts';
import type { UpgradeProgress } from './migrations/prepare-schema.ts';
import { planUpgrade } from './migrations/upgrade-plan.ts';
import { upgradeStep } from './migrations/upgrade-steps.ts';
import { cellUrl } from '../engine/cell-url.ts';
import { StoreFault } from '../engine/fault.ts';
import { makeOlderStore, olderStore } from './test-support/older-store.ts';

test('each migration that reads all records, or indexes them, is known as one', () => {
  const folder = new URL('migrations/', import.meta.url);
  const reading = /\bindex [a-z_]+ on call_record\b|\b(?:from|update) call_record\b/;
  // The first migration makes the table; what joins it reads some records by their numbers.
  const found = readdirSync(folder).filter((file) => /^\d{4}-/.test(file) && !file.startsWith('0001'))
    .filter((file) => reading.test(readFileSync(new URL(file, folder), 'utf8'))).map((file) => Number(file.slice(0, 4)));
  assert.ok(found.includes(19) && found.includes(64), found.join());
  assert.deepEqual(found.filter((version) => !upgradeStep(version).readsRecords), []);
});

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
        31, 32, 33, 34, 36, 39, 42, 44, 48, 58, 64, 66,
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

    test('what an operator made on tables that the upgrade takes is named, and nothing is changed until it is gone; all else stays', async () => {
      const url = await olderStore(fixture, 30);
      const tables = (await fixture.query(url, name === 'SQLite' ? `select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
        : 'select tablename as name from pg_tables where schemaname = current_schema()')).map((row) => String(row['name']));
      await fixture.run(url, [...tables.map((table) => `create view own_${table} as select * from ${table}`),
        `create view of_views as select * from own_${name === 'SQLite' ? 'spend_sum' : 'word_sum'}`, 'create view of_these as select * from of_views',
        ...(name === 'SQLite' ? ['create index own_index on spend_sum (calls)'] : [])]);
      const own = async (): Promise<readonly string[]> => (await planUpgrade(url)).dependants.map(({ what }) => what);
      const named = [...(name === 'SQLite' ? ['index own_index'] : []), 'view of_these', 'view of_views',
        ...(name === 'SQLite' ? ['view own_spend_sum'] : ['view own_attribution_sum', 'view own_word_sum'])];
      assert.deepEqual((await own()).toSorted(), named);
      const upgraded = () => openStore({ url, masterKey: testMasterKey, clock: Date.now, randomBytes, create: true }).then((store) => store.close());
      await assert.rejects(upgraded(), (error) => error instanceof StoreFault && error.code === 'upgrade_held_up'
        && named.every((each) => error.message.includes(each)));
      assert.equal((await planUpgrade(url)).from, 30);
      await fixture.run(url, named.map((each) => `drop ${each}`));
      await upgraded();
      assert.deepEqual(await own(), []);
      for (const table of tables.filter((each) => !named.includes(`view own_${each}`))) await fixture.query(url, `select * from own_${table}`);
    });

    test('what an operator\'s role may read of single columns stays', { skip: name === 'SQLite' }, async () => {
      const url = await olderStore(fixture, 30);
      const role = `reader_${randomBytes(4).toString('hex')}`;
      const granted = (): Promise<readonly Record<string, unknown>[]> => fixture.query(url, `select table_name, column_name, privilege_type, grantee
        from information_schema.column_privileges where table_schema = current_schema() and grantee in ('${role}', 'PUBLIC') order by 1, 2, 3, 4`);
      await fixture.run(url, [`create role ${role}`, `grant select (calls, cached_tokens), update (saved_calls) on word_sum to ${role}`,
        `grant select (cached_tokens) on attribution_sum to public`]);
      try {
        const before = await granted();
        assert.equal(before.length, 4);
        await (await openStore({ url, masterKey: testMasterKey, clock: Date.now, randomBytes, create: true })).close();
        assert.deepEqual(await granted(), before);
      } finally {
        await fixture.run(url, [`drop owned by ${role}`, `drop role ${role}`]);
      }
    });

    test('a transaction of somebody else that lasts is waited for before anything is locked, and named', { skip: name === 'SQLite' }, async () => {
      const url = await olderStore(fixture, 30);
      const other = new pg.Client({ connectionString: url, application_name: 'pg_dump' });
      await other.connect();
      try {
        await other.query('begin');
        await other.query('select from call_record limit 1');
        const heard = Promise.withResolvers<UpgradeProgress>();
        const upgraded = openStore({ url, masterKey: testMasterKey, clock: Date.now, randomBytes, create: true, progress: heard.resolve });
        upgraded.catch(heard.reject);
        const { at, waitsFor } = await heard.promise;
        assert.equal(at, 31);
        assert.match(String(waitsFor), /^pg_dump \(process \d+\)$/);
        // What nodes ask for, and what a batch begins with.
        await fixture.run(url, ['begin; lock table journal_segment, lease_feed, service_key in row exclusive mode nowait; commit']);
        await other.query('commit');
        await (await upgraded).close();
      } finally {
        await other.end();
      }
      assert.equal((await planUpgrade(url)).from, migrations.length);
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

    test('a view in one cell holds up the store before any cell is upgraded', { skip: name === 'SQLite' }, async () => {
      const url = await olderStore(fixture, 62);
      await fixture.run(url, ['create schema held', `delete from cell where "schema" <> ''`,
        `insert into cell (number, name, "schema", address, state, added_at_ms) values (7, 'held', 'held', '', 'open', 0), (8, 'gone', 'gone', '',
          'open', 0)`]);
      const cell = cellUrl(url, 'held');
      await makeOlderStore(fixture, cell, 62);
      await fixture.run(cell, [`delete from cell`, 'create view costs as select cached_tokens from word_sum',
        'create index of_mine on attribution_sum (saved_calls)']);
      const { dependants: [index, view], cells, records } = await planUpgrade(url);
      assert.deepEqual(cells.map(({ name: cellName, plan }) => [cellName, plan?.from, plan?.records]), [['held', 62, records], ['gone', undefined,
        undefined]]);
      assert.deepEqual([view?.table, index?.table], ['held.word_sum', 'held.attribution_sum']);
      const upgraded = () => openStore({ url, masterKey: testMasterKey, clock: Date.now, randomBytes, create: true }).then((store) => store.close());
      await assert.rejects(upgraded(), { code: 'upgrade_held_up' });
      assert.equal((await planUpgrade(url)).from, 62);
      await fixture.run(cell, ['drop view costs', 'drop index of_mine']);
      await upgraded();
      assert.deepEqual((await planUpgrade(url)).cells.map(({ name: cellName }) => cellName), ['gone']);
      assert.deepEqual(await fixture.query(cell, 'select version from metergate_schema'), [{ version: String(migrations.length) }]);
    });
  });
}