/** How counts are worded for people. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import { countOf } from './counts.ts';

test('one thing is counted in the singular, none and many in the plural, with digits in groups of three', () => {
  assert.deepEqual([0, 1, 2, 999, 1_000, 1_250_000].map((count) => countOf(count, 'call')),
    ['0 calls', '1 call', '2 calls', '999 calls', '1,000 calls', '1,250,000 calls']);
  assert.equal(grouped(12_345_678_901_234_567n), '12,345,678,901,234,567');
});
