/**
 * A store of each released schema, with rows in every table, is brought up to date on both engines: nothing is lost, its tables
 * become those of a new store, and its sums equal its records. What a migration did when it was released, it does still.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollarsMax } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import pg from 'pg';
import { batchOf, openTestStore, postgresFixture, sqliteFixture, type EngineFixture } from '../test-support/contract-fixture.ts';
import { migrations, statementsOf } from './migrations/list.ts';
import { olderStore } from './test-support/older-store.ts';

const organization = 'org_kept' as OrganizationId;
const dayMs = 86_400_000;
const repository = new URL('../../../../', import.meta.url);

test('the changelog begins with the version of the packages, and names the schema of each version before it: its stores are upgraded below', () => {
  const [newest = '', ...released] = readFileSync(new URL('CHANGELOG.md', repository), 'utf8').split(/^## (?=\[)/m).slice(1);
  const versionOf = (section: string): string => /^\[(\d+\.\d+\.\d+)\] - /.exec(section)![1]!;
  const { version } = JSON.parse(readFileSync(new URL('package.json', repository), 'utf8')) as { version: string };
  assert.equal(versionOf(newest), version);
  assert.match(newest, /^### Upgrade notes$/m);
  for (const section of released) {
    const schema = Number(/Its stores have schema (\d+)\./.exec(section.replaceAll(/\s+/g, ' '))?.[1]);
    assert.ok(schema >= 1 && schema <= migrations.length, `${versionOf(section)} names no schema that is upgraded: ${schema}`);
  }
});

/** All migrations that stores may have run, and what they say on both engines. Where a newer one was released, it is named here. */
const released = { through: 67, digest: '23330c9d82be1e91457eb20c4f021928b8d487d5fc130d784a02e80248d47cc2' };

test('no migration that was released is changed', () => {
  const digest = createHash('sha256');
  for (let version = 1; version <= released.through; version += 1) {
    for (const engine of ['sqlite', 'postgres'] as const) digest.update(JSON.stringify(statementsOf(engine, version)));
  }
  assert.equal(digest.digest('hex'), released.digest);
});

for (const [name, open] of [['SQLite', async () => sqliteFixture()], ['PostgreSQL', postgresFixture]] as const) {
  describe(`upgrades on ${name}`, () => {
    let fixture: EngineFixture;
    let freshColumns: readonly string[];
    /** Of the records that a version has; most have the same. */
    const sums = new Map<string, Promise<string[]>>();
    before(async () => {
      fixture = await open();
      const fresh = await fixture.freshUrl();
      await (await openTestStore(fresh)).close();
      freshColumns = await columns(fixture, fresh);
    });
    after(() => fixture.end());

    for (const version of migrations.map((_, index) => index + 1)) {
      test(`from schema ${version}: every row stays, closed months as they were, sums equal the records, the tables are a new store's`, async () => {
        const url = await olderStore(fixture, version);
        const before = await tables(fixture, url);
        const empty = Object.entries(before).filter(([table, rows]) => rows === 0 && !summed.has(table)).map(([table]) => table);
        assert.deepEqual(empty, [], 'every table has a row to lose');
        const closed = await closedMonths(fixture, url, before);
        const store = await openTestStore(url);
        let calls: CallRecord[];
        try {
          calls = await keptCalls(store, organization);
          assert.deepEqual(calls.map(({ id, cost }) => [id.at(-1), cost]), [['3', null], ['2', null], ['1', 65_000n]]);
        } finally {
          await store.close();
        }
        const after = await tables(fixture, url);
        for (const [table, rows] of Object.entries(before)) {
          if (table in after) assert.ok(after[table]! >= rows, `${table} had ${rows} rows and has ${after[table]}`);
        }
        assert.deepEqual(await closedMonths(fixture, url, before), closed);
        assert.deepEqual(await columns(fixture, url), freshColumns);
        const kept = JSON.stringify(calls, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
        if (!sums.has(kept)) sums.set(kept, sumsOfRecords(fixture, calls));
        assert.deepEqual(await sumsOf(fixture, url), await sums.get(kept));
      });
    }

    test('a disabled key has who disabled it, where the trail says that a person did', async () => {
      const url = await olderStore(fixture, 64);
      const key = (id: string) => `insert into service_key (id, organization, hash, prefix, name, created_at_ms, disabled_at_ms)
        values ('${id}', '${organization}', '${id}', 'svc', null, 1, 5)`;
      let events = 0;
      const said = (id: string, kind: string, detail: string, who = `${kind}_1`) => `insert into audit_event (id, organization, at_ms, actor_kind,
        actor_id, actor_name, action, subject, detail)
        values ('aud_said_${events += 1}', '${organization}', 5, '${kind}', '${who}', 'x', 'setKey', '${id}', '${detail}')`;
      const [off, on] = ['{"disabled":true}', '{"disabled":false}'];
      await fixture.run(url, [
        key('key_own'), said('key_own', 'token', off), said('key_own', 'token', on), said('key_own', 'person', off), said('key_own', 'person', off),
        key('key_admin'), said('key_admin', 'person', off), said('key_admin', 'token', '{"disabled":true,"name":"x"}'),
        key('key_again'), said('key_again', 'person', off, 'person_2'), said('key_again', 'person', off),
        key('key_named'), said('key_named', 'person', '{"name":"\\"disabled\\":true"}'),
      ]);
      await (await openTestStore(url)).close();
      const rows = await fixture.query(url, 'select id, disabled_by from service_key where disabled_at_ms = 5 and hash = id order by id');
      assert.deepEqual(rows.map((row) => ({ ...row as object })), [
        { id: 'key_admin', disabled_by: null }, { id: 'key_again', disabled_by: null }, { id: 'key_named', disabled_by: null },
        { id: 'key_own', disabled_by: 'person_1' }]);
    });

    test('sums of spend and runs count the kept calls without a price', async () => {
      const url = await olderStore(fixture, 32);
      await fixture.run(url, [`update call_record set run = 'r1' where cost_source = 'unpriced'`]);
      const store = await openTestStore(url);
      const runs = await store.runs.list({ organization, limit: 10 }).finally(() => store.close());
      assert.deepEqual(runs.map(({ id, unpricedCalls }) => [id, unpricedCalls]).sort(), [['r0', 0], ['r1', 1]]);
      const kept = await fixture.query(url, 'select scope, subject, unpriced_calls, gone_unpriced_calls from spend_day where unpriced_calls > 0');
      assert.deepEqual(kept.map((row) => Object.values(row).map(String).join(' ')).sort(), [
        'key key_gone 1 0', 'key key_gone 1 0', 'organization  1 0', 'organization  1 0', 'project search 1 0', 'project search 1 0',
      ]);
    });

    test('what was spent by records that are gone with their day stays in the sums of its year and of all time', async () => {
      const url = await olderStore(fixture, 30);
      const [yearMs, monthMs, weekMs] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 9)];
      // Of each: spent, calls, calls of unknown usage, calls with a gap, and the same four of records that are gone.
      const rows: readonly (readonly [window: string, startMs: number, figures: string])[] = [
        ['day', Date.UTC(2026, 1, 27), '20, 2, 1, 1, 5, 1, 0, 1'], ['day', weekMs + dayMs, '7, 1, 0, 0, 0, 0, 0, 0'],
        ['week', weekMs, '7, 1, 0, 0, 0, 0, 0, 0'], ['month', Date.UTC(2026, 1, 1), '90, 8, 3, 2, 75, 7, 2, 2'],
        ['month', monthMs, '7, 1, 0, 0, 0, 0, 0, 0'],
        ['year', yearMs, '597, 39, 4, 5, 575, 37, 3, 5'],
        ['year', Date.UTC(2025, 0, 1), '9223372036854775807, 4, 0, 0, 9223372036854775807, 4, 0, 0'],
        ['lifetime', 0, '9223372036854775807, 43, 4, 5, 9223372036854775807, 41, 3, 5'],
      ];
      await fixture.run(url, rows.map(([window, startMs, figures]) => `insert into spend_sum (organization, scope, subject, "window", start_ms,
        spent_nano, calls, unknown_calls, gap_calls, gone_nano, gone_calls, gone_unknown_calls, gone_gap_calls)
        values ('org_kept', 'key', 'key_old', '${window}', ${startMs}, ${figures})`));
      const store = await openTestStore(url);
      const sums = await store.spend.sumsOfAll([{ organization, key: 'key_old' as ServiceKeyId }], weekMs + dayMs).finally(() => store.close());
      const { key } = sums[0]!;
      const windows = ['day', 'week', 'month', 'year', 'lifetime'] as const;
      assert.deepEqual(windows.map((window) => key[window].spent), [7n, 7n, 7n, 597n, nanoDollarsMax]);
      const kept = await fixture.query(url, `select day_ms, cast(spent_nano as text) as spent_nano, cast(gone_nano as text) as gone_nano,
        calls, unknown_calls, gap_calls, gone_calls, gone_unknown_calls, gone_gap_calls from spend_day where subject = 'key_old' order by day_ms`);
      assert.deepEqual(kept.map((row) => Object.values(row).map(String).join(' ')), [
        `-1 ${nanoDollarsMax} ${nanoDollarsMax} 43 4 5 41 3 5`, `${Date.UTC(2025, 0, 1)} ${nanoDollarsMax} ${nanoDollarsMax} 4 0 0 4 0 0`,
        `${yearMs} 570 570 36 3 4 36 3 4`, `${Date.UTC(2026, 1, 27)} 20 5 2 1 1 1 0 1`, `${weekMs + dayMs} 7 0 1 0 0 0 0 0`,
      ]);
    });
  });
}

/** What waits for a lock now, as the query says it. */
async function waitersOf(fixture: EngineFixture, url: string, query: string): Promise<number> {
  return (await fixture.query(url, `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '${query}%'`)).length;
}

/** An upgrade that has found no lasting transaction, and then finds those that `meanwhile` begins. */
async function upgradeBeside(fixture: EngineFixture, url: string, meanwhile: () => Promise<unknown>) {
  const holding = new pg.Client({ connectionString: url });
  await holding.connect();
  await holding.query('select pg_advisory_lock(7215001)');
  const upgraded = openTestStore(url);
  upgraded.catch(() => {});
  await eventually(async () => await waitersOf(fixture, url, 'select pg_advisory_xact_lock') > 0);
  await meanwhile();
  await holding.end();
  return { upgraded };
}

test('an upgrade that the server ends, because a gateway\'s transaction and it wait for each other, is begun again', async () => {
  const fixture = await postgresFixture();
  try {
    const url = await olderStore(fixture, 30);
    const gateway = new pg.Client({ connectionString: url });
    await gateway.connect();
    const { upgraded } = await upgradeBeside(fixture, url, () => gateway.query('begin; lock table spend_sum in row exclusive mode'));
    const waiting = `select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'lock table spend_sum%'`;
    await eventually(async () => (await fixture.query(url, waiting)).length > 0);
    await gateway.query('commit');
    await gateway.end();
    await (await upgraded).close();
    assert.deepEqual(await fixture.query(url, 'select version from metergate_schema'), [{ version: String(migrations.length) }]);
  } finally {
    await fixture.end();
  }
});

test('an upgrade waits for the batches under way, so that its sums have them; one that waits for the upgrade is refused', async () => {
  const fixture = await postgresFixture();
  try {
    const url = await olderStore(fixture, 12);
    const [shipping, late] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
    await Promise.all([shipping.connect(), late.connect()]);
    const begin = (client: pg.Client, segment: string) => client.query(`insert into journal_segment (id, mark) values ('${segment}', 0)`);
    const isWaiting = async (statement: string) => await waitersOf(fixture, url, statement) > 0;
    const { upgraded } = await upgradeBeside(fixture, url, async () => {
      await shipping.query('begin');
      await begin(shipping, 'seg_under_way');
    });
    await eventually(() => isWaiting('lock table journal_segment'));
    const refused = assert.rejects(begin(late, 'seg_late'), { code: 'TOOLD' });
    await eventually(() => isWaiting('insert into journal_segment'));
    const { rows: [found] } = await shipping.query<{ names: string }>(`select string_agg(quote_ident(attname), ', ') as names
      from pg_attribute where attrelid = 'call_record'::regclass and attnum > 0 and attname not in ('sequence', 'id')`);
    const { names } = found!;
    await shipping.query(`insert into call_record (id, ${names}) select 'req_00000000000000000000000000000009', ${names}
      from call_record where id like '%1'`);
    await shipping.query('commit');
    await (await upgraded).close();
    await refused;
    await Promise.all([shipping.end(), late.end()]);
    assert.deepEqual(await fixture.query(url, 'select distinct sum(calls) as calls from attribution_sum group by span'), [{ calls: '4' }]);
  } finally {
    await fixture.end();
  }
});

/** Every table of sums. */
const sumTables = ['spend_day', 'usage_sum', 'attribution_sum', 'word_sum', 'hour_sum'];
/** Sums that nobody wrote yet in an older store: they are made from its records. */
const summed = new Set(sumTables);

/** Every column of every row of each sum; an attribution under its names. */
async function sumsOf(fixture: EngineFixture, url: string): Promise<string[]> {
  const attributions = await fixture.query(url, 'select * from attribution');
  const names = new Map(attributions.map(({ id, ...each }) => [String(id), Object.values(each).join(' ')]));
  const shown = (row: Record<string, unknown>) => Object.keys(row).sort()
    .map((column) => `${column}=${column === 'attribution' ? names.get(String(row[column])) : String(row[column])}`).join(' ');
  const rows = await Promise.all(sumTables.map(async (table) => (await fixture.query(url, `select * from ${table}`))
    .map((row) => `${table} ${shown(row)}`)));
  // How long calls took is counted from the schema on that counts it, and hours of words from the one that has them.
  return rows.flat().filter((row) => !/ figure=[df]\d/.test(row)).map((row) => row.replace(/ hours=\S+/, '')).sort();
}

/** What a new store has of these records. */
async function sumsOfRecords(fixture: EngineFixture, records: readonly CallRecord[]): Promise<string[]> {
  const url = await fixture.newStoreUrl();
  const store = await openTestStore(url);
  await store.calls.ship(batchOf('seg_again', records)).finally(() => store.close());
  return sumsOf(fixture, url);
}

/** Every row of closed months in those of these tables that hold them. */
async function closedMonths(fixture: EngineFixture, url: string, tables: Record<string, number>): Promise<unknown[]> {
  const holding = ['closed_month', 'closed_month_part', 'closed_month_name'].filter((table) => table in tables);
  return Promise.all(holding.map((table) => fixture.query(url, `select * from ${table}`)));
}

/** Rows in each table. */
async function tables(fixture: EngineFixture, url: string): Promise<Record<string, number>> {
  const names = await fixture.query(url, fixture.name === 'sqlite'
    ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
    : `select table_name as name from information_schema.tables where table_schema = current_schema()`);
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
    : `select relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull as line
         from pg_attribute join pg_class as c on c.oid = attrelid
         where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
       union all select 'index ' || indexname from pg_indexes where schemaname = current_schema()`);
  return rows.map(({ line }) => String(line)).sort();
}
