/** Money as text and back, and the one rounding. Rule 5. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { divideHalfEven, formatDollars, nanoDollars, nanoDollarsMax, parseDollars, unformatDollars, type NanoDollars } from './money.ts';

describe('divideHalfEven: one rounding, half to even (rule 5)', () => {
  const cases: [bigint, bigint, bigint][] = [
    [0n, 1000n, 0n], [499n, 1000n, 0n], [500n, 1000n, 0n], [501n, 1000n, 1n], [1499n, 1000n, 1n], [1500n, 1000n, 2n],
    [1501n, 1000n, 2n], [2500n, 1000n, 2n], [3500n, 1000n, 4n], [1n, 3n, 0n], [2n, 3n, 1n], [3n, 2n, 2n], [5n, 2n, 2n], [7n, 7n, 1n],
  ];
  for (const [dividend, divisor, quotient] of cases) {
    it(`${dividend} / ${divisor} = ${quotient}`, () => assert.equal(divideHalfEven(dividend, divisor), quotient));
  }
  it('is never further than half from the exact quotient, and even at the half', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.bigInt({ min: 1n, max: 10n ** 20n }), (dividend, divisor) => {
      const quotient = divideHalfEven(dividend, divisor);
      const off = dividend - quotient * divisor;
      const twice = 2n * (off < 0n ? -off : off);
      assert.ok(twice < divisor || (twice === divisor && quotient % 2n === 0n));
    }));
  });
});

describe('formatDollars: exact decimal text, nine places (rules: Record)', () => {
  const cases: [bigint, number | undefined, string][] = [
    [0n, undefined, '0.000000000'], [1n, undefined, '0.000000001'], [1_000_000_000n, undefined, '1.000000000'],
    [12_345_678_901n, undefined, '12.345678901'], [-1n, undefined, '-0.000000001'], [-2_500_000_000n, 2, '-2.50'],
    [1_999_999_999n, 2, '1.99'], [1_999_999_999n, 0, '1'], [nanoDollarsMax, undefined, '9223372036.854775807'],
  ];
  for (const [amount, places, text] of cases) {
    it(`${amount} with ${places ?? 'all'} places is ${text}`, () => assert.equal(formatDollars(nanoDollars(amount), places), text));
  }
});

describe('parseDollars: a JSON number from 0, rounded half to even to nano-dollars (rules 5 and 6)', () => {
  const figures: [string, bigint][] = [
    ['0', 0n], ['0.0', 0n], ['0e5', 0n], ['1', 1_000_000_000n], ['0.0000123', 12_300n], ['1e-7', 100n], ['1E-7', 100n], ['1.5e-9', 2n],
    ['0.5e-9', 0n], ['2.5e-9', 2n], ['2.5000000001e-9', 3n], ['1e-400', 0n], ['12e+2', 1_200_000_000_000n],
    ['9223372036.854775807', nanoDollarsMax], ['0.00007924999999999999', 79_250n], ['4.9999999999999998e-7', 500n],
  ];
  for (const [text, amount] of figures) it(`${text} is ${amount} nano-dollars`, () => assert.equal(parseDollars(text), amount));
  const noFigures = [
    '', '-1', '+1', '.5', '1.', 'NaN', 'Infinity', '1e308', '1e400', '1e99999', '9223372036.854775808', ' 1', '1 ', '0x10', '1_0', '1,5',
  ];
  for (const text of noFigures) it(`${JSON.stringify(text)} is no figure`, () => assert.equal(parseDollars(text), null));
  it('reads back what formatDollars wrote', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: nanoDollarsMax }), (amount) => {
      assert.equal(parseDollars(formatDollars(nanoDollars(amount))), amount);
    }));
  });
});

it('nanoDollars saturates at the 64-bit bound: a sum never wraps into a credit (rule 5)', () => {
  assert.equal(nanoDollars(nanoDollarsMax + 1n), nanoDollarsMax);
  assert.equal(nanoDollars(nanoDollarsMax), nanoDollarsMax);
});

it('what was written with all nine places is read back, below nothing too', () => {
  for (const nano of [0n, 1n, -1n, 999_999_999n, -1_000_000_001n, 123_456_789_012_345_678n]) {
    assert.equal(unformatDollars(formatDollars(nano as NanoDollars)), nano);
  }
});
