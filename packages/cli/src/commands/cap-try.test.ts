/** `metergate cap try` and the forecast of `cap list`, on a separate store, with calls of known cost at known times. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { ownStore, type OwnStore } from '../test-support/own-store.ts';

const dayMs = 86_400_000;
let own: OwnStore;
let organization: OrganizationId;
const todayMs = Date.UTC(2026, 8, 15);
const nowMs = todayMs + dayMs / 2;
const dollar = 1_000_000_000n;

before(async () => {
  own = await ownStore(() => nowMs);
  organization = ((await own.json(['org', 'create', 'acme'])) as { id: OrganizationId }).id;
  const calls = [
    [40, 100n, 'key_a'], [3, 2n, 'key_a'], [3, 2n, 'key_b'], [3, 2n, 'key_a'], [3, null, 'key_a'],
    [2, 1n, 'key_a'], [1, 4n, 'key_b'], [1, 1n, 'key_a'],
  ] as const;
  await own.inStore((store) => store.calls.ship(batchOf('seg_1', calls.map(([daysAgo, cost, key], index) => sampleRecord(organization, {
    startedAtMs: todayMs - daysAgo * dayMs + index * 1_000, cost: cost === null ? null : nanoDollars(cost * dollar), key: key as ServiceKeyId,
    project: index % 2 === 0 ? 'even' : null,
  })))));
});
after(() => own?.end());

const tried = async (...args: string[]) => await own.json(['cap', 'try', '--org', 'acme', ...args]) as {
  wouldRefuse: unknown; windows: { startsAt: string; reachedAt: string; refusedCalls: number; refusedCost: string }[]; tried: { calls: number };
};
const iso = (ms: number): string => new Date(ms).toISOString();

test('a day\'s cap of 4 would have refused the calls after it was reached, and calls before the thirty days do not count', async () => {
  const trial = await tried('--scope', 'organization', '--window', 'day', '--limit', '4');
  assert.equal(trial.tried.calls, 7);
  assert.deepEqual(trial.wouldRefuse, { calls: 3, cost: '3.000000000' });
  assert.deepEqual(trial.windows, [
    { startsAt: iso(todayMs - 3 * dayMs), reachedAt: iso(todayMs - 3 * dayMs + 2_000), refusedCalls: 2, refusedCost: '2.000000000' },
    { startsAt: iso(todayMs - dayMs), reachedAt: iso(todayMs - dayMs + 6_000), refusedCalls: 1, refusedCost: '1.000000000' },
  ]);
});

test('of one key, of one project, of a lifetime', async () => {
  assert.deepEqual((await tried('--scope', 'key', '--key', 'key_b', '--window', 'lifetime', '--limit', '2')).wouldRefuse,
    { calls: 1, cost: '4.000000000' });
  assert.deepEqual((await tried('--scope', 'project', '--project', 'even', '--window', 'lifetime', '--limit', '1')).wouldRefuse,
    { calls: 2, cost: '4.000000000' });
  assert.deepEqual((await tried('--scope', 'organization', '--window', 'month', '--limit', '1000')).windows, []);
});

test('the subject must fit the scope, a key must be one that is known, and nothing is armed', async () => {
  const mistyped = await own.run(['cap', 'try', '--org', 'acme', '--scope', 'key', '--key', 'key_typo', '--window', 'day', '--limit', '1']);
  assert.equal(mistyped.code, 1);
  assert.match(mistyped.stderr, /no service key with this id/);
  assert.equal((await own.run(['cap', 'try', '--org', 'acme', '--scope', 'key', '--window', 'day', '--limit', '1'])).code, 2);
  for (const limit of ['9223372036.9', '1e3', '0.0000000001']) {
    const { code } = await own.run(['cap', 'set', '--org', 'acme', '--scope', 'organization', '--window', 'day', '--limit', limit]);
    assert.equal(code, 2, limit);
  }
  assert.deepEqual(await own.json(['cap', 'list', '--org', 'acme']), []);
});

test('cap list shows when a cap will be reached at this pace, or null', async () => {
  for (const [window, limit] of [['lifetime', '120'], ['day', '100']]) {
    await own.json(['cap', 'set', '--org', 'acme', '--scope', 'organization', '--window', window!, '--limit', limit!]);
  }
  const [lifetime, day] = await own.json(['cap', 'list', '--org', 'acme']) as { forecastAt: string | null; pacePerDay: string; spent: string }[];
  // 12 dollars in three days; 8 are left of the lifetime's 120, of which 112 are spent.
  assert.equal(lifetime!.forecastAt, iso(nowMs + (8 / 12) * (nowMs - (todayMs - 3 * dayMs))));
  assert.deepEqual([lifetime!.spent, day!.forecastAt], ['112.000000000', null]);
  assert.match((await own.run(['cap', 'list', '--org', 'acme'])).stdout, /FORECAST UTC/);
});
