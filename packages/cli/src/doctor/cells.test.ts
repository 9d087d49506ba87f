/** What `doctor` says of a cell that answers and then fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '@metergate/store/store.ts';
import { examineCells } from './cells.ts';

const cell = (name: string, away: string | null = null) => ({ name, state: 'open' as const, address: '', organizations: 1, away, takesFromMs: 0 });

function storeOf(shown: readonly ReturnType<typeof cell>[], unread: readonly { cell: string; why: string }[]): Pick<Store, 'cells'> {
  const cells: Partial<Store['cells']> = { list: async () => [...shown], compare: async () => ({ differences: [], unread }) };
  return { cells: cells as Store['cells'] };
}

test('a cell that fails while it is compared is named, once, and nothing more is asked of all cells', async () => {
  const { allAnswer, findings } = await examineCells(storeOf([cell('default'), cell('east'), cell('west', 'It is away.')], [
    { cell: 'east', why: 'A statement ran out of time.' }, { cell: 'west', why: 'It is away.' },
  ]));
  assert.equal(allAnswer, false);
  assert.deepEqual(findings.map(({ state, message }) => [state, message]), [
    ['fail', 'The cell east failed while it was compared with the store: A statement ran out of time.'],
    ['fail', 'The cell west with 1 organization is away: It is away.'],
  ]);
});
