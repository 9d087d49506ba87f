/**
 * A store of each released schema, with rows in every table, is brought up to date on both engines: nothing is lost, its tables
 * become those of a new store, and its sums equal its records. The older stores are made of kept SQL, not of today's migrations.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { createVault } from '../sealing/vault.ts';
import { openTestStore, postgresFixture, sqliteFixture, testMasterKey, type EngineFixture } from '../test-support/contract-fixture.ts';
import { migrations } from './migrations/list.ts';
import { keptRows, keptSchema, keptSchemaFile } from './test-support/kept-schema.ts';

const salt = '00112233445566778899aabbccddeeff';
const fingerprint = createVault(testMasterKey, () => new Uint8Array(0)).fingerprint(Buffer.from(salt, 'hex'));
const organization = 'org_kept' as OrganizationId;
type Rows = Record<string, unknown>[];

for (const [name, open] of [['SQLite', async () => sqliteFixture()], ['PostgreSQL', postgresFixture]] as const) {
  describe(`upgrades on ${name}`, () => {
    let fixture: EngineFixture;
    let fresh: string;
    before(async () => {
      fixture = await open();
      fresh = await fixture.freshUrl();
      await (await openTestStore(fresh)).close();
    });
    after(() => fixture.end());

    test('every migration has its kept SQL: `npm run schema:keep` writes it', () => {
      const without = migrations.map((_, index) => index + 1).filter((version) => !existsSync(keptSchemaFile(fixture.name, version)));
      assert.deepEqual(without, []);
    });

    for (const version of migrations.map((_, index) => index + 1)) {
      test(`from schema ${version}: every row stays, sums equal the records, the tables are those of a new store`, async () => {
        const url = await olderStore(fixture, version);
        const before = await tables(fixture, url);
        const empty = Object.entries(before).filter(([table, rows]) => rows === 0 && !summed.has(table)).map(([table]) => table);
        assert.deepEqual(empty, [], 'every table has a row to lose');
        const store = await openTestStore(url);
        try {
          const calls = await store.calls.list({ organization, limit: 10 });
          assert.deepEqual(calls.map(({ id, cost }) => [id.at(-1), cost]), [['3', null], ['2', null], ['1', 65_000n]]);
        } finally {
          await store.close();
        }
        const after = await tables(fixture, url);
        for (const [table, rows] of Object.entries(before)) {
          if (table in after) assert.ok(after[table]! >= rows, `${table} had ${rows} rows and has ${after[table]}`);
        }
        assert.deepEqual(await columns(fixture, url), await columns(fixture, fresh));
        assert.deepEqual(await spendOf(fixture, url), keptSpend);
        assert.deepEqual(await labelsOf(fixture, url), keptLabels);
      });
    }
  });
}

/** Sums that nobody wrote yet in an older store: they are made from its records. */
const summed = new Set(['spend_sum', 'usage_sum']);

/** What the kept records come to, calculated by hand: three calls, one of them of unknown usage, in January and February of 2026. */
const keptSpend: Rows = [
  ['key', 'key_gone', 'month', 1_769_904_000_000, 0, 1, 0], ['key', 'key_kept', 'month', 1_767_225_600_000, 65_000, 1, 0],
  ['key', 'key_kept', 'month', 1_769_904_000_000, 0, 1, 1], ['organization', '', 'lifetime', 0, 65_000, 3, 1],
  ['organization', '', 'month', 1_767_225_600_000, 65_000, 1, 0], ['organization', '', 'month', 1_769_904_000_000, 0, 2, 1],
  ['organization', '', 'week', 1_766_966_400_000, 65_000, 1, 0], ['organization', '', 'week', 1_769_385_600_000, 0, 2, 1],
  ['organization', '', 'year', 1_767_225_600_000, 65_000, 3, 1], ['project', 'search', 'year', 1_767_225_600_000, 65_000, 2, 0],
].map(([scope, subject, window, start, spent, calls, unknown]) => ({ scope, subject, window, start, spent, calls, unknown }));

/** A call with two labels counts under both, one without under ''. */
const keptLabels = ['a|1|0|0|1', 'a|1|65000|0|0', 'b|1|65000|0|0', '|1|0|1|0'];

async function labelsOf(fixture: EngineFixture, url: string): Promise<string[]> {
  const rows = await fixture.query(url, `select subject, calls, cost_nano, unknown_calls, unpriced_calls from usage_sum
    where organization = 'org_kept' and dimension = 'label'`);
  return rows.map((row) => [row['subject'], row['calls'], row['cost_nano'], row['unknown_calls'], row['unpriced_calls']].join('|')).sort();
}

async function spendOf(fixture: EngineFixture, url: string): Promise<Rows> {
  const rows = await fixture.query(url, `select scope, subject, "window", start_ms as start, spent_nano as spent, calls, unknown_calls as unknown
    from spend_sum where organization = 'org_kept'
      and ("window" = 'month' and scope <> 'project' or scope = 'organization' and "window" <> 'day' or scope = 'project' and "window" = 'year')
    order by 1, 2, 3, 4`);
  return rows.map((row) => Object.fromEntries(Object.entries(row)
    .map(([column, value]) => [column, ['scope', 'subject', 'window'].includes(column) ? value : Number(value)])));
}

/** A store as schema `version` was, with a row in each of its tables. */
async function olderStore(fixture: EngineFixture, version: number): Promise<string> {
  const url = await fixture.freshUrl();
  const bytes = fixture.name === 'sqlite' ? `x'${salt}'` : `'\\x${salt}'::bytea`;
  await fixture.run(url, [
    ...Array.from({ length: version }, (_, index) => [...keptSchema(fixture.name, index + 1), ...keptRows(fixture.name, index + 1)]).flat(),
    `insert into metergate_schema ("only", version) values (1, ${version})`,
    `insert into store_identity ("only", salt, fingerprint) values (1, ${bytes}, '${fingerprint}')`,
  ]);
  return url;
}

/** Rows in each table. */
async function tables(fixture: EngineFixture, url: string): Promise<Record<string, number>> {
  const names = await fixture.query(url, fixture.name === 'sqlite'
    ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
    : `select table_name as name from information_schema.tables where table_schema = 'public'`);
  const counted = names.map(({ name }) => `select '${String(name)}' as name, count(*) as rows from "${String(name)}"`);
  const rows = await fixture.query(url, counted.join(' union all '));
  return Object.fromEntries(rows.map(({ name, rows: count }) => [String(name), Number(count)]));
}

/** Every column of every table, with its type, whether it may be null, and every index. */
async function columns(fixture: EngineFixture, url: string): Promise<string[]> {
  const rows = await fixture.query(url, fixture.name === 'sqlite'
    ? `select m.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" as line
         from sqlite_master as m join pragma_table_info(m.name) as c where m.type = 'table'
       union all select 'index ' || name from sqlite_master where type = 'index'`
    : `select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable as line
         from information_schema.columns where table_schema = 'public'
       union all select 'index ' || indexname from pg_indexes where schemaname = 'public'`);
  return rows.map(({ line }) => String(line)).sort();
}
