/** What caching saved on one call, worked out by hand. Rules: `cacheSavings`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheSavingsOf } from './cache-savings.ts';
import { ratesFromList } from './rates.ts';

const none = { input: 0, audioInput: 0, cached: 0, cacheWrite: 0, cacheWriteOneHour: 0, imageInput: 0, cachedAudio: 0, cachedImage: 0 };
/** Pico-dollars a token: 3.00, 0.30, 3.75 and 6.00 US dollars per million. */
const rates = ratesFromList({ input: 3_000_000, cached: 300_000, cacheWrite: 3_750_000, cacheWriteOneHour: 6_000_000, output: 15_000_000 });

test('reads save the difference, writes cost theirs, both kinds of writes at their own price', () => {
  assert.equal(cacheSavingsOf({ ...none, input: 10 }, rates), 0n);
  assert.equal(cacheSavingsOf({ ...none, cached: 1_000 }, rates), 2_700_000n);
  assert.equal(cacheSavingsOf({ ...none, cacheWrite: 1_000 }, rates), -750_000n);
  assert.equal(cacheSavingsOf({ ...none, cacheWriteOneHour: 1_000 }, rates), -3_000_000n);
  assert.equal(cacheSavingsOf({ ...none, input: 5, cached: 10_000, cacheWrite: 2_000, cacheWriteOneHour: 100 }, rates), 25_200_000n);
});

test('without separate prices reads and writes save nothing; without one of the input nothing is known', () => {
  assert.equal(cacheSavingsOf({ ...none, cached: 9, cacheWrite: 9, cacheWriteOneHour: 9 }, ratesFromList({ input: 3_000_000 })), 0n);
  assert.equal(cacheSavingsOf({ ...none, cached: 9 }, ratesFromList({ output: 1, cached: 1 })), null);
});

test('a part of a nano-dollar is rounded once, half to even, alike above and below zero', () => {
  const half = ratesFromList({ input: 37_500, cached: 0, cacheWrite: 75_000 });
  assert.equal(cacheSavingsOf({ ...none, cached: 1 }, half), 38n, '37.5');
  assert.equal(cacheSavingsOf({ ...none, cached: 3 }, half), 112n, '112.5');
  assert.equal(cacheSavingsOf({ ...none, cacheWrite: 3 }, half), -112n);
});

test('the prices are those that a call of this size pays', () => {
  const stepped = ratesFromList({ input: { base: 1_000, above: [{ tokens: 100, rate: 3_000 }] }, cached: 500 });
  assert.equal(cacheSavingsOf({ ...none, cached: 100 }, stepped), 50n);
  assert.equal(cacheSavingsOf({ ...none, cached: 101 }, stepped), 252n);
});
