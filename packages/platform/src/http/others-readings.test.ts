/**
 * On a shared store one organization's reports and files, however many and slow, leave connections for what others ask. What is slow here is a
 * table that another session has locked. Decision 119.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { eventually } from '@metergate/testkit/eventually.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { platformFixture, type Answered, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

describe('reports of a shared store', () => {
  let postgres: TestPostgres;
  let platform: PlatformFixture;
  /** One that locks, and one that looks: what a transaction sees of other sessions stays as it is. */
  let [locks, looks]: pg.Client[] = [];
  let [many, few]: TestOrganization[] = [];

  before(async () => {
    postgres = await testPostgres();
    const url = await postgres.createDatabase();
    platform = await platformFixture(url);
    [many, few] = [await platform.organization('many'), await platform.organization('few')];
    [locks, looks] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
    await Promise.all([locks.connect(), looks.connect()]);
  });
  after(async () => {
    await Promise.all([locks?.end(), looks?.end()]);
    await platform?.end();
    await postgres?.stop();
  });

  const waiting = async (): Promise<number> => {
    const { rows } = await looks!.query<{ count: string }>(`select count(*) from pg_stat_activity
      where datname = current_database() and application_name = 'metergate' and wait_event_type = 'Lock'`);
    return Number(rows[0]!.count);
  };
  const calls = (organization: TestOrganization): Promise<Answered> => platform.ask('/platform/v1/calls', { token: organization.tokens.viewer });

  test('twenty slow ones of one organization leave room for pages and reports of another', async () => {
    await locks!.query('begin');
    await locks!.query('lock table call_record in access exclusive mode');
    const asked = Array.from({ length: 20 }, () => calls(many!));
    await eventually(async () => await waiting() === 2);
    assert.equal((await platform.ask('/platform/v1/keys', { token: few!.tokens.viewer })).status, 200, 'others\' pages are answered meanwhile');
    assert.equal((await platform.ask('/platform/v1/keys', { token: many!.tokens.viewer })).status, 200, 'and its own');
    const theirs = calls(few!);
    await eventually(async () => await waiting() === 3);
    await locks!.query('rollback');
    for (const { status } of await Promise.all([theirs, ...asked])) assert.equal(status, 200);
  });

  test('a file whose reader is slow holds no place', async () => {
    const files = await Promise.all(Array.from({ length: 6 }, () => platform.app.request('http://platform.test/platform/v1/exports?from=7d&to=today',
      { headers: { authorization: `Bearer ${many!.tokens.viewer}` } })));
    assert.deepEqual(files.map(({ status }) => status), Array.from({ length: 6 }, () => 200));
    assert.equal((await calls(many!)).status, 200);
    for (const file of files) await file.body!.cancel();
  });
});
