/** Long lists are sorted in pieces, in the order in which short ones are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { doInPieces } from '../src/parts/pieces.ts';
import { sortInPieces } from '../src/parts/sorted-rows.ts';

interface Counted { readonly at: number; readonly cost: number }

test('rows come in order, equal ones as they stood, whichever way', async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 5_000, size: 'max' }), fc.boolean(), async (costs, descending) => {
    const rows = costs.map((cost, at): Counted => ({ at, cost }));
    const sorted = await doInPieces(sortInPieces(rows, { value: ({ cost }) => cost, descending }));
    const sign = descending ? -1 : 1;
    assert.deepEqual(sorted, rows.toSorted((one, other) => sign * (one.cost - other.cost)));
  }), { numRuns: 30 });
});

test('names are in the order of words, whatever their case, with numbers by their size', async () => {
  const names = ['run-10', 'Run-9', 'alpha', 'Éclair', 'eclair 2', '', 'run-1'];
  const sorted = await doInPieces(sortInPieces(names.map((name) => ({ name })), { value: ({ name }) => name, descending: false }));
  assert.deepEqual(sorted.map(({ name }) => name), ['', 'alpha', 'Éclair', 'eclair 2', 'run-1', 'Run-9', 'run-10']);
});

test('work that is no longer wanted stops', async () => {
  const ending = new AbortController();
  let steps = 0;
  const work = (function* endless(): Generator<void> {
    for (;;) {
      steps += 1;
      if (steps === 3) ending.abort(new Error('enough'));
      for (const since = performance.now(); performance.now() - since < 4;);
      yield;
    }
  })();
  await assert.rejects(doInPieces(work, ending.signal), /enough/);
});
