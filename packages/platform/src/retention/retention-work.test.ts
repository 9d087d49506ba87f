/**
 * Removing records past their age: one platform at a time, organization by organization, stopping between two slices, and never by a
 * clock that just stepped. Decision 0032.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Store } from '@metergate/store/store.ts';
import { batchOf, granted, openTestStore, sampleRecord, startMs } from '@metergate/store/test-support/contract-fixture.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { freshSqlite } from '../http/test-support/platform-fixture.ts';
import { createRetentionWork, type RetentionWork } from './retention-work.ts';

const dayMs = 86_400_000;
const place = freshSqlite();
let store: Store;
let [wallMs, steadyMs] = [0, 0];
let said: string[] = [];
let faults: unknown[] = [];
let names = 0;

before(async () => { store = await openTestStore(place.url); });
after(async () => {
  await store?.close();
  place.remove();
});
beforeEach(async () => {
  [said, faults] = [[], []];
  for (const { organization } of await store.retention.organizations()) await store.organizations.set(organization, { keepRecordsDays: null });
});

const advance = (ms: number): void => { [wallMs, steadyMs] = [wallMs + ms, steadyMs + ms]; };
function work(holder: string, over: Partial<Store['retention']> = {}): RetentionWork {
  const retention = { ...store.retention, ...over };
  return createRetentionWork({
    store: { retention, workLeases: store.workLeases }, clock: () => wallMs, steadyClock: () => (steadyMs += 1), holder,
    say: (line) => said.push(line), failed: (fault) => faults.push(fault),
  });
}
/** All of its records are past their age. */
async function aged(records: number): Promise<OrganizationId> {
  const { id } = await granted(store.organizations.create({ name: `aged ${names += 1}`, plan: 'team' }));
  await store.calls.ship(batchOf(`seg_${id}`, Array.from({ length: records }, (_, at) => sampleRecord(id, { startedAtMs: startMs + at }))));
  await granted(store.organizations.set(id, { keepRecordsDays: 31 }));
  wallMs = startMs + 40 * dayMs;
  return id;
}
const left = async (organization: OrganizationId): Promise<number> => (await keptCalls(store, organization)).length;

test('records past their age are removed pass by pass, and that is logged once it is done', async () => {
  const organizations = [await aged(400), await aged(30)] as const;
  const one = work('one');
  assert.deepEqual([await one.pass(), await left(organizations[0])], [false, 400], 'a clock is trusted after a minute');
  advance(60_000);
  while (await one.pass());
  assert.deepEqual([await left(organizations[0]), await left(organizations[1])], [0, 0]);
  const form = /^Removed (\d+) records and 0 tap events of (\w+), which keeps them 31 days: those before /;
  assert.deepEqual(said.map((line) => form.exec(line)?.slice(1)),
    organizations.map((id, at) => [['400', '30'][at], id]).sort((a, b) => (a[1]! < b[1]! ? -1 : 1)));
  // Nothing is due for an hour.
  const late = await aged(5);
  advance(60_000);
  assert.deepEqual([await one.pass(), await left(late)], [false, 5]);
  advance(3_600_000);
  while (await one.pass());
  assert.equal(await left(late), 0);
  assert.deepEqual(one.removed(), { records: 435, events: 0 });
  await one.end();
});

test('one platform at a time; when it ends another continues at once', async () => {
  const organization = await aged(50);
  const [one, other] = [work('one'), work('other')];
  advance(60_000);
  // The first slice is under way when the work is stopped.
  const passing = one.pass();
  await one.end();
  await passing;
  assert.ok(await left(organization) > 0, 'no slice was begun after that');
  assert.notEqual(await store.workLeases.hold('retention', 'third', { nowMs: wallMs, untilMs: wallMs + 30_000 }), null);
  const before = await left(organization);
  assert.equal(await other.pass(), false);
  assert.equal(await left(organization), before);
  await store.workLeases.release('retention', 'third');
  advance(10_000);
  while (await other.pass());
  assert.equal(await left(organization), 0);
  await other.end();
});

test('a clock that stepped is not trusted until it has run evenly for a minute', async () => {
  const organization = await aged(10);
  wallMs = startMs;
  const one = work('one');
  advance(60_000);
  wallMs += 400 * dayMs;
  for (let pass = 0; pass < 5; pass += 1) {
    assert.equal(await one.pass(), false);
    advance(10_000);
  }
  assert.equal(await left(organization), 10);
  advance(60_000);
  while (await one.pass());
  assert.equal(await left(organization), 0);
  await one.end();
});

test('an organization that cannot be worked on holds up no other, and is tried again later', async () => {
  const [broken, sound] = [await aged(10), await aged(10)];
  const one = work('one', {
    removeSlice: (id, slice) => (id === broken ? Promise.reject(new Error('no')) : store.retention.removeSlice(id, slice)),
  });
  advance(60_000);
  while (await one.pass());
  assert.deepEqual([await left(broken), await left(sound), faults.length], [10, 0, 1]);
  await one.end();
});
