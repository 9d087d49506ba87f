/** Which part of a stacked bar a click means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partAt } from '../src/parts/chart-props.ts';
import { cutBars, cutOf } from '../src/parts/cut-bars.ts';

test('a click means the part that it is on, and the whole day above the bar', () => {
  const series = [{ name: 'a', values: [2, 0] }, { name: 'b', values: [null, 0] }, { name: 'c', values: [3, 0] }];
  assert.deepEqual([0.5, 1.99, 2, 4.9, 5].map((value) => partAt(series, 0, value)), [0, 0, 2, 2, null]);
  assert.equal(partAt(series, 1, 0.1), null);
});

test('bars are cut above what is named where everything else is far larger', () => {
  const named = { name: 'a', values: [10, 5, null] };
  const rest = (values: readonly number[]) => [named, { name: 'everything else', values }];
  assert.equal(cutOf(rest([90, 2, 0]), false), null, 'its last series is a name');
  assert.equal(cutOf(rest([30, 2, 0]), true), null, 'four times as high is drawn whole');
  assert.equal(cutOf([{ name: 'a', values: [0] }, { name: 'everything else', values: [9] }], true), null, 'nothing is named');
  const cut = cutOf(rest([90, 2, 15]), true);
  assert.equal(cut, 14);
  assert.deepEqual(cutBars(rest([90, 2, 15]), cut), [0, 2]);
});
