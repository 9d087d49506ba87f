/** Held: tables line up, show what is absent as a dash, and let no text from outside act on a terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortDecimal, table } from './table.ts';

test('columns line up, numbers to the right, absent values as a dash', () => {
  assert.equal(table(['NAME', 'TOKENS'], [['a', 5], ['longer', 1200], [null, null]]), [
    'NAME    TOKENS',
    'a            5',
    'longer    1200',
    '-            -',
  ].join('\n'));
});

test('control characters from outside become question marks', () => {
  assert.equal(table(['PROJECT'], [['\u001b[2Jx\n\u202ey']]), 'PROJECT\n?[2Jx??y');
});

test('amounts lose the zeros at their end and nothing else', () => {
  assert.deepEqual(['2.500000000', '10.000000000', '0.000000000', '100', '0.000000001'].map(shortDecimal), ['2.5', '10', '0', '100', '0.000000001']);
});
