/** The rows of a long table that are in the document: those of the screen, more on both sides, and the same ones for most frames of a scroll. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenRowsNear, rowsKept } from '../src/parts/rows-kept.ts';

const kept = (startIndex: number, count = 1_000) => rowsKept({ startIndex, endIndex: Math.min(count - 1, startIndex + 23), overscan: 20, count });

test('the rows of the screen and those around it are kept, in order and without a gap', () => {
  for (let at = 0; at < 977; at += 1) {
    const rows = kept(at);
    assert.deepEqual(rows, rows.map((_, index) => rows[0]! + index));
    assert.ok(rows[0]! <= Math.max(0, at - 20) && rows.at(-1)! >= Math.min(999, at + 43), `at ${at}: ${rows[0]} to ${rows.at(-1)}`);
    assert.ok(rows.length <= 24 + 2 * 20 + 16, `${rows.length} rows`);
  }
});

test('the first row and the last are never passed, also of a table that is shorter than the screen', () => {
  assert.deepEqual(kept(0, 5), [0, 1, 2, 3, 4]);
  assert.equal(kept(980).at(-1), 999);
  assert.deepEqual(rowsKept({ startIndex: 0, endIndex: -1, overscan: 0, count: 0 }), []);
});

test('of sixteen rows that are scrolled by, two change what is kept', () => {
  const changes = Array.from({ length: 16 }, (_, at) => kept(100 + at).join() === kept(101 + at).join()).filter((same) => !same);
  assert.equal(changes.length, 2);
});

test('rows of one height are kept around the screen, wherever it is', () => {
  const near = (topPx: number, count = 1_000) => evenRowsNear({ topPx, screenPx: 860, rowPx: 36.5, overscan: 20, count });
  assert.deepEqual(near(500), near(0));
  assert.equal(near(0).first, 0);
  for (let topPx = 0; topPx > -36.5 * 980; topPx -= 25) {
    const { first, end } = near(topPx);
    assert.ok(first * 36.5 <= -topPx && (end === 1_000 || end * 36.5 >= -topPx + 860), `at ${topPx}: ${first} to ${end}`);
    assert.ok(end - first <= 25 + 2 * 20 + 16, `${end - first} rows`);
  }
  assert.equal(near(-1e9).end, 1_000);
  assert.deepEqual(near(0, 3), { first: 0, end: 3 });
  assert.deepEqual(near(0, 0), { first: 0, end: 0 });
});
