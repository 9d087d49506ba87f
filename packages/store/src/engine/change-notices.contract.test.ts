/**
 * Changes are announced as they commit (rules: Snapshots): on PostgreSQL to every listener, again after a lost connection; on SQLite to
 * those of other connections.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import type { ChangeNotice } from './change-notices.ts';
import type { Store } from '../store.ts';
import { granted, openTestStore, postgresFixture, sqliteFixture, type EngineFixture } from '../test-support/contract-fixture.ts';

/** The notices of a listener, and a wait for the next notice of a kind. */
function listening(store: Store) {
  const told: ChangeNotice[] = [];
  let wake = (): void => {};
  const notices = store.listen((notice) => {
    told.push(notice);
    wake();
  });
  const next = async (notice: ChangeNotice): Promise<void> => {
    while (!told.includes(notice)) await new Promise<void>((resolve) => { wake = resolve; });
    told.splice(told.indexOf(notice), 1);
  };
  return { notices, told, next };
}

describe('notices of changes', () => {
  let postgres: EngineFixture;
  before(async () => { postgres = await postgresFixture(); });
  after(() => postgres.end());

  test('on PostgreSQL a change by one process notifies another, with its subject, and again after its connection was lost', async () => {
    const url = await postgres.newStoreUrl();
    const [changing, other] = [await openTestStore(url), await openTestStore(url)];
    const { notices, told, next } = listening(other);
    await next('settings');
    await next('runs');
    const organization = (await granted(changing.organizations.create({ name: 'one', plan: 'free' }))).id;
    await next('settings');
    const run = { organization, id: 'r', startedAtMs: 1_000, expiresAtMs: null, exposureLimit: null, mayCreate: true } as const;
    await changing.runs.open([{ ...run, declared: nanoDollars(5n), effective: nanoDollars(5n), clampReason: null }]);
    told.length = 0;
    await granted(changing.runs.close({ organization, id: 'r' }));
    await next('runs');
    told.length = 0;
    await postgres.query(url, `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'metergate notices' and datname = current_database()`);
    await next('settings');
    await next('runs');
    await granted(changing.organizations.set(organization, { plan: 'team' }));
    await next('settings');
    await notices.close();
    await Promise.all([changing.close(), other.close()]);
  });

  test('on SQLite a change by another connection is noticed, its own are not, and after closing none is', async () => {
    const context = sqliteFixture();
    const url = await context.newStoreUrl();
    const [changing, store] = [await openTestStore(url), await openTestStore(url)];
    const { notices, told, next } = listening(store);
    await next('settings');
    await next('runs');
    await granted(changing.organizations.create({ name: 'one', plan: 'free' }));
    await next('settings');
    await next('runs');
    await notices.close();
    await granted(changing.organizations.create({ name: 'two', plan: 'free' }));
    assert.deepEqual(told, []);
    await Promise.all([changing.close(), store.close()]);
    await context.end();
  });
});
