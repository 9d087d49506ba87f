/**
 * What the pages say of a sum whose cost lacks something, from counts that may overlap: only what is certain. Checked corner by corner, and
 * against every set of up to five calls.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costSaid, incompleteCount, incompleteIn } from '../src/shown/incomplete-cost.ts';

const nothing = '0.000000000';
const row = (calls: number, [unknownCalls, unpricedCalls, gapCalls]: readonly [number, number, number]) =>
  ({ calls, unknownCalls, unpricedCalls, gapCalls });
const said = (calls: number, lacks: readonly [number, number, number], cost = nothing) => costSaid({ ...row(calls, lacks), cost });

test('how many calls lack a part of their cost: exactly where counts cannot overlap, else at most', () => {
  assert.deepEqual(incompleteIn([]), { calls: 0, exact: true }, 'no row');
  assert.deepEqual(incompleteIn([row(0, [0, 0, 0])]), { calls: 0, exact: true }, 'no call');
  assert.deepEqual(incompleteIn([row(9, [0, 0, 0])]), { calls: 0, exact: true }, 'nothing is lacking');
  assert.deepEqual(incompleteIn([row(9, [3, 0, 0])]), { calls: 3, exact: true });
  assert.deepEqual(incompleteIn([row(9, [0, 2, 3])]), { calls: 5, exact: true }, 'a call without a price has no gap');
  assert.deepEqual(incompleteIn([row(9, [3, 2, 0])]), { calls: 5, exact: false }, 'three to five');
  assert.deepEqual(incompleteIn([row(9, [3, 0, 2])]), { calls: 5, exact: false }, 'three to five');
  assert.deepEqual(incompleteIn([row(4, [3, 2, 0])]), { calls: 4, exact: false }, 'three or four: never more than there are');
  assert.deepEqual(incompleteIn([row(4, [4, 2, 1])]), { calls: 4, exact: true }, 'all of them');
  assert.deepEqual(incompleteIn([row(3, [1, 2, 1])]), { calls: 3, exact: true }, 'all of them');
});

test('several rows: one that is not exact makes the sum so', () => {
  assert.deepEqual(incompleteIn([row(9, [3, 0, 0]), row(9, [0, 1, 1])]), { calls: 5, exact: true });
  assert.deepEqual(incompleteIn([row(9, [3, 0, 0]), row(9, [1, 1, 0])]), { calls: 5, exact: false });
  assert.deepEqual(incompleteIn([row(9, [1, 1, 0]), row(9, [3, 0, 0])]), { calls: 5, exact: false });
});

test('where calls are not counted, nothing bounds the figure', () => {
  const uncounted = (unknownCalls: number, gapCalls: number) => incompleteIn([{ unknownCalls, unpricedCalls: 0, gapCalls }]);
  assert.deepEqual(uncounted(0, 0), { calls: 0, exact: true });
  assert.deepEqual(uncounted(2, 0), { calls: 2, exact: true });
  assert.deepEqual(uncounted(0, 3), { calls: 3, exact: true });
  assert.deepEqual(uncounted(2, 3), { calls: 5, exact: false });
});

test('an inexact figure is shown as an upper bound', () => {
  assert.equal(incompleteCount({ calls: 1_200, exact: true }), '1,200');
  assert.equal(incompleteCount({ calls: 1_200, exact: false }), 'up to 1,200');
});

test('$0 stands alone only if nothing is lacking; "not known" only if no call can have a known cost', () => {
  assert.equal(said(0, [0, 0, 0]), 'amount', 'no call cost nothing');
  assert.equal(said(3, [0, 0, 0]), 'amount', 'calls that cost nothing');
  assert.equal(said(3, [3, 0, 0]), 'not_known');
  assert.equal(said(3, [0, 3, 0]), 'not_known');
  assert.equal(said(3, [3, 1, 2]), 'not_known', 'partial usage of all of them');
  assert.equal(said(3, [1, 0, 0]), 'incomplete');
  assert.equal(said(3, [0, 0, 3]), 'incomplete', 'the part with a price cost nothing');
  assert.equal(said(2, [1, 1, 0]), 'incomplete', 'one call may be counted twice, and the other be known to cost nothing');
  for (const lacks of [[0, 0, 0], [3, 0, 0], [0, 2, 0], [3, 3, 0], [0, 0, 3]] as const) {
    assert.equal(said(3, lacks, '0.000000001'), 'amount', 'whatever is known of a cost is shown');
  }
});

/** What a call without a known amount can lack: usage, a price, a part of either; or nothing, if it is known to cost $0. */
const kinds = [
  { unknown: 0, unpriced: 0, gap: 0 }, { unknown: 1, unpriced: 0, gap: 0 }, { unknown: 0, unpriced: 1, gap: 0 },
  { unknown: 0, unpriced: 0, gap: 1 }, { unknown: 1, unpriced: 1, gap: 0 }, { unknown: 1, unpriced: 0, gap: 1 },
];

function setsOf(size: number): (typeof kinds)[] {
  return size === 0 ? [[]] : setsOf(size - 1).flatMap((set) => kinds.map((kind) => [...set, kind]));
}

test('for every set of calls, the statement is true', () => {
  for (const set of [0, 1, 2, 3, 4, 5].flatMap(setsOf)) {
    const count = (name: 'unknown' | 'unpriced' | 'gap') => set.reduce((sum, call) => sum + call[name], 0);
    const sum = row(set.length, [count('unknown'), count('unpriced'), count('gap')]);
    const lacking = set.filter(({ unknown, unpriced, gap }) => unknown + unpriced + gap > 0).length;
    const { calls, exact } = incompleteIn([sum]);
    assert.ok(exact ? calls === lacking : calls >= lacking, JSON.stringify({ set, calls, exact }));
    const words = costSaid({ ...sum, cost: nothing });
    const known = set.some(({ unknown, unpriced }) => unknown + unpriced === 0);
    assert.equal(words === 'amount', lacking === 0, JSON.stringify({ set, words }));
    if (words === 'not_known') assert.ok(!known, JSON.stringify({ set, words }));
  }
});
