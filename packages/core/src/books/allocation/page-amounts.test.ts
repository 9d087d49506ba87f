/** Amounts of a page: rounded together they add up, and none is off by a cent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PageAmounts } from './page-amounts.ts';

const cent = 10_000_000n;

test('from a hundred dollars on amounts are cents that add up to the rounded total, and their own parts add up to each', () => {
  const parts = fc.array(fc.bigInt({ min: -5_000_000_000_000n, max: 9_000_000_000_000_000n }), { minLength: 1, maxLength: 30 });
  fc.assert(fc.property(fc.array(parts, { minLength: 1, maxLength: 8 }), (teams) => {
    const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
    const totals = teams.map(sum);
    const total = sum(totals);
    fc.pre(total >= 100_000_000_000n);
    const amounts = new PageAmounts(total);
    const rounded = amounts.together(totals);
    assert.ok(2n * (sum(rounded) * cent - total) <= cent && 2n * (sum(rounded) * cent - total) >= -cent);
    for (const [index, units] of rounded.entries()) {
      assert.ok(units * cent - totals[index]! < cent && units * cent - totals[index]! > -cent);
      const own = amounts.together(teams[index]!, units);
      assert.equal(sum(own), units);
      for (const [at, each] of own.entries()) assert.ok(each * cent - teams[index]![at]! < cent && each * cent - teams[index]![at]! > -cent);
    }
  }), { numRuns: 300 });
});

test('below a hundred dollars every digit is shown', () => {
  const small = new PageAmounts(99_999_999_999n);
  assert.deepEqual([small.isRounded, small.alone(1n), small.alone(-99_999_999_999n)], [false, '0.000000001', '-99.999999999']);
  const large = new PageAmounts(-100_000_000_000n);
  assert.deepEqual([large.isRounded, large.alone(1_234_567_894_999_999n), large.alone(-5_000_001n), large.alone(-4_999_999n)],
    [true, '1,234,567.89', '-0.01', '0.00']);
});
