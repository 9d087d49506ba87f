/** What is kept of a run's lowered budgets: read back whole, and bounded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '../money.ts';
import { loweringsIn, loweringsMax, loweringsText, withLowering, type Lowering } from './lowering.ts';

const lowering = (atMs: number, from: bigint | null, to: bigint): Lowering =>
  ({ atMs, from: from === null ? null : nanoDollars(from), to: nanoDollars(to) });

test('what was kept is read back in the order of time, and none is nothing', () => {
  const all = [lowering(1_764_291_600_500, null, 5n), lowering(1_764_291_600_000, 9_000_000_000_000_000_000n, 0n)];
  assert.deepEqual(loweringsIn(loweringsText(all)), all.toReversed());
  assert.equal(loweringsText([]), null);
  assert.deepEqual([loweringsIn(null), loweringsIn(''), loweringsIn('x:y:z 1:2')], [[], [], []]);
});

test('a caller that lowers its budget with every call takes no more room, and the last one is kept', () => {
  let kept: readonly Lowering[] = [];
  for (let at = 0; at < 1_000; at += 1) kept = withLowering(kept, lowering(at, BigInt(1_000 - at), BigInt(999 - at)));
  assert.equal(kept.length, loweringsMax);
  assert.deepEqual(kept[0], lowering(0, 1_000n, 999n));
  assert.deepEqual(kept.at(-1), lowering(999, kept.at(-2)!.to, 0n));
});
