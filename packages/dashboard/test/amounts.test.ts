/** Amounts are written as the browser's own formatters write American English, and rounded as whole nano-dollars are. */
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

/** In nano-dollars, of every size that is written with all its digits. */
const amounts = fc.integer({ min: 1, max: 15 }).chain((digits) => fc.bigInt({ min: 10n ** BigInt(digits - 1), max: 10n ** BigInt(digits) - 1n }));
const halves = [1_005_000_000n, 1_115_000_000n, 999_999_995_000_000n, 10_050_000n, 10_150_000n, 999_950_000n, 1_000_000_001n, 125n, 9_995_000n, 9n];

function textOf(nano: bigint): string {
  const digits = String(nano).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

test('an amount with nine places is rounded exactly, half a unit of the last place up', () => {
  fc.assert(fc.property(fc.oneof(fc.constantFrom(...halves), amounts), (nano) => {
    const text = shortDollars(textOf(nano));
    const [dollars, fraction = ''] = text.replaceAll(/[$,]/g, '').split('.');
    const shown = BigInt(dollars! + fraction.padEnd(9, '0'));
    const unit = nano >= 10n ** 9n ? 10n ** 7n : nano >= 10n ** 7n ? 10n ** 5n : 10n ** BigInt(Math.max(0, String(nano).length - 2));
    assert.equal(shown, (2n * nano + unit) / (2n * unit) * unit, text);
    if (nano >= 10n ** 9n) assert.equal(fraction.length, 2, text);
    assert.equal(shortDollars(`-${textOf(nano)}`), `−${text}`);
  }), { numRuns: 5_000 });
  const samples = ['1.005000000', '0.010050000', '0.000012500', '0.000000009', '-1.115', '1', '0.000000000', '-0.000000000'];
  assert.deepEqual(samples.map(shortDollars), ['$1.01', '$0.0101', '$0.000013', '$0.000000009', '−$1.12', '$1.00', '$0', '$0']);
});

test('dollars from one on have two places, from a million on as many at most', () => {
  fc.assert(fc.property(fc.integer({ min: 100, max: 99_999_999 }), (hundredths) => {
    const amount = (hundredths / 100).toFixed(9);
    assert.equal(shortDollars(amount), `$${cents.format(hundredths / 100)}`);
  }));
  const samples = [
    '1000000.000000000', '1234567.891000000', '999999999.990000000', '12005000.000000000', '12004999.999999999', '45678901234.500000000',
  ];
  assert.deepEqual(samples.map(shortDollars), ['$1M', '$1.23M', '$1B', '$12.01M', '$12M', '$45.68B']);
});
