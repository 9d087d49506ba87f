/** How long a departed caller's call is read on, whatever an organization sets, and how many at once (rule 8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { createDrains, drainBoundFor, drainsPerNodeMax, drainsPerOrganizationMax } from './drains.ts';

test('without a setting: 10 min and 64 MiB if a cap or a run budget covers the call, else 5 s and 1 MiB', () => {
  assert.deepEqual(drainBoundFor(true, null), { covered: true, durationMs: 600_000, bytesMax: 64 * 1024 * 1024 });
  assert.deepEqual(drainBoundFor(false, null), { covered: false, durationMs: 5_000, bytesMax: 1024 * 1024 });
});

test('a set time holds for both, and the longest is one that a timer can run: beyond it a timer fires at once', () => {
  for (const covered of [true, false]) {
    assert.equal(drainBoundFor(covered, 0).durationMs, 0);
    assert.equal(drainBoundFor(covered, 90).durationMs, 90_000);
    for (const seconds of [2_147_484, 31_536_000, Number.MAX_SAFE_INTEGER]) {
      const { durationMs } = drainBoundFor(covered, seconds);
      assert.equal(durationMs, 2_147_483_647);
    }
  }
});

test('covered calls: one organization may take half of the free places, the next half of the rest, and each at least 32', () => {
  const drains = createDrains();
  const places = (name: string): number => {
    let taken = 0;
    while (drains.enter(name as OrganizationId, true)) taken += 1;
    return taken;
  };
  const taken = Array.from({ length: 6 }, (_, at) => places(`org_${at}`));
  assert.deepEqual(taken, [256, 128, 64, 32, 32, 0]);
  assert.equal(drains.underWay, drainsPerNodeMax);
});

test('uncovered calls: one organization takes at most 32 places, the node 512, and a released place is free again', () => {
  const drains = createDrains();
  const organization = (index: number): OrganizationId => `org_${index}` as OrganizationId;
  for (let taken = 0; taken < drainsPerOrganizationMax; taken += 1) assert.ok(drains.enter(organization(0), false));
  assert.ok(!drains.enter(organization(0), false));
  for (let taken = drainsPerOrganizationMax; taken < drainsPerNodeMax; taken += 1) assert.ok(drains.enter(organization(taken), false));
  assert.ok(!drains.enter(organization(1), false));
  drains.leave(organization(0));
  assert.ok(drains.enter(organization(1), false));
  assert.equal(drains.underWay, drainsPerNodeMax);
});
