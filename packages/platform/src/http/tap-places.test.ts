/** On a shared store no key takes the connections that others need: whose batch is stored next, and how many at once. Rule 8a. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { batchBody, sentEvent } from '@metergate/core/tap/test-support/sample-event.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { tapFixture, type TapFixture } from '../test-support/tap-fixture.ts';
import { createTapPlaces } from './tap-places.ts';

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Jobs that end when the test lets them. */
function context() {
  const places = createTapPlaces();
  const underWay: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (key: string, name: string) => places.take(key, () => new Promise<string>((resolve) => {
    underWay.push(name);
    ends.set(name, () => {
      underWay.splice(underWay.indexOf(name), 1);
      resolve(name);
    });
  }));
  const end = async (name: string): Promise<void> => {
    ends.get(name)!();
    await settled();
  };
  return { places, underWay, take, end };
}

describe('places', () => {
  test('a key has two places at once, all keys together four, and the next free one goes to a waiting key', async () => {
    const { underWay, take, end } = context();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void take('a', name);
    void take('b', 'b1');
    assert.deepEqual(underWay, ['a1', 'a2', 'b1']);
    void take('c', 'c1');
    void take('d', 'd1');
    assert.deepEqual(underWay, ['a1', 'a2', 'b1', 'c1']);
    await end('a1');
    assert.deepEqual(underWay, ['a2', 'b1', 'c1', 'd1'], 'a key that has one waits behind a key that has none');
    await end('b1');
    assert.deepEqual(underWay, ['a2', 'c1', 'd1', 'a3']);
    await end('d1');
    assert.deepEqual(underWay, ['a2', 'c1', 'a3'], 'two of a key, though there is room');
    await end('a2');
    assert.deepEqual(underWay, ['c1', 'a3', 'a4']);
  });

  test('of keys with equally many places, the one whose last was longest ago is next', async () => {
    const { underWay, take, end } = context();
    for (const key of ['a', 'b', 'c', 'd']) for (const at of [1, 2]) void take(key, `${key}${at}`);
    assert.deepEqual(underWay, ['a1', 'a2', 'b1', 'b2']);
    await end('b1');
    await end('a1');
    assert.deepEqual(underWay, ['a2', 'b2', 'c1', 'd1']);
  });

  test('a failed batch reports to its sender and frees its place, whatever it waited for', async () => {
    const { places, underWay, take } = context();
    const failed = [places.take('a', () => Promise.reject(new Error('away'))), places.take('a', () => { throw new Error('broken'); })];
    void take('a', 'a3');
    await assert.rejects(failed[0]!, /away/);
    await assert.rejects(failed[1]!, /broken/);
    await settled();
    assert.deepEqual(underWay, ['a3']);
  });

  test('a key has half of the 256 that are left, so that another finds some', () => {
    const { take } = context();
    const taken = (key: string): number => {
      let count = 0;
      while (take(key, `${key}${count}`) !== null) count += 1;
      return count;
    };
    assert.deepEqual(['flood', 'second', 'third'].map(taken), [128, 64, 32]);
  });
});

describe('on PostgreSQL', () => {
  let server: TestPostgres;
  let tap: TapFixture;
  let other: pg.Client;
  /** A separate test: it does not see the server at one single moment. */
  let looker: pg.Client;
  before(async () => {
    server = await testPostgres();
    const url = await server.createDatabase();
    tap = await tapFixture((store) => store, url);
    [other, looker] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([other.connect(), looker.connect()]);
  });
  after(async () => {
    await other?.end();
    await looker?.end();
    await tap?.end();
    await server?.stop();
  });

  test('posts of a key whose Baseline is locked for long do not use up the platform\'s connections', async () => {
    const [flood, calm] = [await tap.baseline(), await tap.baseline()];
    const post = (key: string, name: string) => rawCall(tap.url, {
      target: '/tap/v1/events', body: batchBody([sentEvent({ request_id: name })]),
      headers: [['Authorization', `Bearer ${key}`], ['Content-Type', 'application/json']],
    });
    await other.query('begin');
    await other.query('select 1 from baseline where id = $1 for update', [flood.id]);
    const posted = Array.from({ length: 20 }, (_, at) => post(flood.key, `flood-${at}`));
    const waiting = async (): Promise<number> => (await looker.query(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")).rows[0].n as number;
    await eventually(async () => await waiting() >= 2);
    assert.equal((await post(calm.key, 'calm')).status, 202);
    assert.equal((await tap.store.organizations.find(calm.organization))?.id, calm.organization, 'and nobody else waits');
    assert.equal(await waiting(), 2);
    await other.query('commit');
    assert.deepEqual((await Promise.all(posted)).map(({ status }) => status), Array(20).fill(202));
    assert.deepEqual(tap.faults, []);
  });
});
