/** Amounts are written as the browser's own formatters write American English. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shortCount, shortDollars, wholeCount } from '../src/shown/amounts.ts';

const compactCount = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1, useGrouping: false });
const whole = new Intl.NumberFormat('en-US');
const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const edges = [0, 7, 999, 1_000, 9_999, 10_000, 10_049, 10_050, 12_350, 99_949, 99_950, 999_949, 999_950,
  1_049_999, 1_050_000, 999_950_000, 10 ** 12, 9e15];
const counts = fc.oneof(fc.constantFrom(...edges), fc.nat(), fc.maxSafeNat());

test('counts, short and whole', () => {
  fc.assert(fc.property(counts, (count) => {
    assert.equal(wholeCount(count), whole.format(count));
    assert.equal(shortCount(count), (count < 10_000 ? whole : compactCount).format(count));
  }), { numRuns: 2_000 });
});

test('dollars from one on have two places, from a million on as many at most', () => {
  fc.assert(fc.property(fc.integer({ min: 100, max: 99_999_999 }), (hundredths) => {
    const amount = (hundredths / 100).toFixed(9);
    assert.equal(shortDollars(amount), `$${cents.format(hundredths / 100)}`);
  }));
  const samples = ['1000000.000000000', '1234567.891000000', '999999999.990000000', '12005000.000000000', '45678901234.500000000'];
  assert.deepEqual(samples.map(shortDollars), ['$1M', '$1.23M', '$1B', '$12.01M', '$45.68B']);
});
