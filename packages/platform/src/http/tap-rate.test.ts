/** A tap key's burst and rate, each key by itself, and that a clock set back takes nothing away. Rule 8a. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTapRate } from './tap-rate.ts';

const takenOf = (rate: ReturnType<typeof createTapRate>, key: string, tries: number): number =>
  Array.from({ length: tries }, () => rate.take(key)).filter((wait) => wait === null).length;

test('3,000 batches at once, then 100 a second; another key is not held up', () => {
  let nowMs = 1_000;
  const rate = createTapRate(() => nowMs);
  assert.equal(takenOf(rate, 'a', 5_000), 3_000);
  assert.equal(rate.take('a'), 1);
  assert.equal(rate.take('b'), null);
  nowMs += 1_000;
  assert.equal(takenOf(rate, 'a', 5_000), 100);
  nowMs -= 500_000;
  assert.equal(takenOf(rate, 'a', 10), 0);
  nowMs += 3_600_000;
  assert.equal(takenOf(rate, 'a', 5_000), 3_000, 'a long rest makes the burst whole and no more');
});
