/** How much JSON builds, counted without building it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonExtent } from './json-extent.ts';

const extent = (text: string, valuesMax: number = 1_000): unknown => {
  const { values, depth } = jsonExtent(new TextEncoder().encode(text), valuesMax);
  return [values, depth];
};

test('every value is counted, none within a string, and how deep they stand', () => {
  const rows: readonly (readonly [text: string, values: number, depth: number])[] = [
    ['1', 1, 0], ['{}', 2, 1], ['{"a":1,"b":[1,2,3]}', 6, 2], ['[[],[],[[]]]', 8, 3], [JSON.stringify('[[[{,,,"\\,,'), 1, 0],
    [JSON.stringify({ file: '{"a":[1,2],"b":"\\"}"}' }), 2, 1], ['"never closed ,,,', 1, 0], ['"\\', 1, 0],
  ];
  for (const [text, values, depth] of rows) assert.deepEqual(extent(text), [values, depth], text);
});

test('it never counts fewer than there are', () => {
  const count = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Object.values(value).reduce((sum: number, each) => sum + count(each), 0) : 1;
  for (const value of [[], [[]], { a: { b: [] } }, [1, [2, { c: 'x,y' }], 'z'], [{}, {}, {}]]) {
    const text = JSON.stringify(value);
    assert.ok(jsonExtent(Buffer.from(text), 1_000).values >= count(value), text);
  }
});

test('it ends at its bound, however much follows', () => {
  const [values] = extent('[{},'.repeat(10_000), 50) as [number, number];
  assert.equal(values, 51);
});
