/** What a node does for one of its cells, it does for that one alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenCells } from '../operation/cells/cells.ts';
import type { StoreCell } from '../operation/cells/one-store.ts';
import type { CellDesks } from './cell-desks.ts';
import type { CellJournal } from './cell-journal.ts';
import { OtherCells } from './other-cells.ts';
import type { Repeat } from './repeat.ts';

async function context() {
  const looked: (readonly [cell: number, withinMs: number | null])[] = [];
  const cell = (number: number) => ({ number, name: `cell_${number}`, store: async () => ({}) }) as Partial<StoreCell> as StoreCell;
  const home = cell(0);
  const cells = { several: true, home, all: [home, cell(1), cell(2)], look: async () => {}, directory: { places: async () => [] } };
  const others = new OtherCells({
    cells: cells as unknown as OpenCells, home: () => assert.fail('the default cell is asked'), post: () => {},
    journalOf: () => ({}) as CellJournal, begin: async () => ({ answers: true }) as CellDesks, told: () => ({}) as Repeat,
    ship: ({ number }) => ({ look: (withinMs) => void looked.push([number, withinMs]), stop: async () => {} }),
  });
  await others.look();
  await others.begin();
  return { others, looked };
}

test('when something was closed every cell ships soon; when a lease was overrun its cell alone ships at once', async () => {
  const { others, looked } = await context();
  others.hear({ kind: 'nudge' });
  assert.deepEqual(looked.splice(0), [[1, null], [2, null]]);
  others.hear({ kind: 'ship_now', cell: 2 });
  assert.deepEqual(looked.splice(0), [[2, 0]]);
  others.hear({ kind: 'ship_now', cell: 0 });
  assert.deepEqual(looked, []);
});
