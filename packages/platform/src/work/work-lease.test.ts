/** One platform at a time does a work: it passes on when it is given up, when its holder is silent, and whatever a clock does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkLease } from './work-lease.ts';

/** The lease as the store keeps it, and how often it was requested. */
function keptLease() {
  let kept = { holder: '', untilMs: 0 };
  let asked = 0;
  return {
    get asked() { return asked; },
    get untilMs() { return kept.untilMs; },
    async hold(_name: string, holder: string, { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number }) {
      asked += 1;
      const beforeMs = kept.holder === '' ? null : kept.untilMs;
      if (kept.holder === holder || kept.untilMs <= nowMs) kept = { holder, untilMs };
      return kept.holder === holder ? { cursor: 7, beforeMs } : null;
    },
    async release() { kept = { ...kept, untilMs: 0 }; },
  };
}

test('the holder renews it at half time, others ask every two seconds, and it passes on when it is given up', async () => {
  const leases = keptLease();
  const [one, other] = [createWorkLease(leases, 'work', 'one'), createWorkLease(leases, 'work', 'other')];
  assert.equal((await one.hold(1_000_000.4))?.cursor, 7);
  assert.equal(await other.hold(1_000_000), null);
  const { asked } = leases;
  await one.hold(1_004_999);
  assert.equal(await other.hold(1_001_999), null);
  assert.equal(leases.asked, asked);
  await one.hold(1_005_000);
  assert.equal(await other.hold(1_002_000), null);
  assert.equal(leases.asked, asked + 2);
  await one.release();
  assert.notEqual(await other.hold(1_010_000), null);
});

test('a clock that was put back keeps neither a lease that has run out for others, nor a platform from asking', async () => {
  const leases = keptLease();
  const [one, other] = [createWorkLease(leases, 'work', 'one'), createWorkLease(leases, 'work', 'other')];
  await one.hold(9_000_000);
  assert.equal(await other.hold(9_000_000), null);
  // An hour back: by its own clock the holder would have it for an hour more.
  assert.notEqual(await one.hold(5_400_000), null);
  assert.equal(leases.untilMs, 5_410_000);
  assert.notEqual(await other.hold(5_410_000), null);
});

test('a platform that takes the lease learns when the work was last done; one restarted in the same place takes its own lease at once', async () => {
  const leases = keptLease();
  const one = createWorkLease(leases, 'work', 'one');
  const { taken, doneMs } = (await one.hold(1_000_000))!;
  assert.deepEqual([taken, doneMs], [true, null]);
  assert.equal((await one.hold(1_000_100))!.taken, false);
  assert.equal((await one.hold(1_006_000))!.taken, false, 'renewed');
  // It was killed: nothing was given up.
  const again = (await createWorkLease(leases, 'work', 'one').hold(1_006_001))!;
  assert.deepEqual([again.taken, again.doneMs], [true, 1_006_000]);
  const other = createWorkLease(leases, 'work', 'other');
  assert.equal(await other.hold(1_007_000), null);
  const late = (await other.hold(1_016_001))!;
  assert.deepEqual([late.taken, late.doneMs], [true, 1_006_001]);
});
