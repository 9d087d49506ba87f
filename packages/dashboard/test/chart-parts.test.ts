/** Which part of a stacked bar a click means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partAt } from '../src/parts/chart-props.ts';

test('a click means the part that it is on, and the whole day above the bar', () => {
  const series = [{ name: 'a', values: [2, 0] }, { name: 'b', values: [null, 0] }, { name: 'c', values: [3, 0] }];
  assert.deepEqual([0.5, 1.99, 2, 4.9, 5].map((value) => partAt(series, 0, value)), [0, 0, 2, 2, null]);
  assert.equal(partAt(series, 1, 0.1), null);
});
