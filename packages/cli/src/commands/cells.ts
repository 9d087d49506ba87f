/** `metergate cells`: lists, adds, drains, opens and mends the cells of a PostgreSQL store. Decision 210. */
import { isoText } from '@metergate/core/time/iso-text.ts';
import { homeName, type CellDifference, type StoredCell } from '@metergate/store/operation/cells/directory.ts';
import type { ShownCell } from '@metergate/store/operation/cells/one-store.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { onStore } from '../command-line/on-store.ts';
import { secondsText, table } from '../command-line/table.ts';

const nameArgument = { type: 'positional', required: true, valueHint: 'NAME', description: 'The cell\'s name' } as const;

const list = command({
  description: 'List the cells of the store, and whether each answers',
  args: {},
  run: (_values, tools) => onStore(tools, async ({ store }) => {
    const shown = await store.cells.list();
    if (shown.length === 0) return { json: [], text: 'The store has no cells but itself. Add one with: metergate cells add NAME' };
    const rows = shown.map((cell) => [cell.name, stateText(cell, tools.nowMs()), cell.organizations, cell.address, cell.away ?? 'yes']);
    return {
      json: shown.map(({ name, state, address, organizations, away, takesFromMs }) =>
        ({ name, state, address: address === '' ? null : address, organizations, away, takesFrom: isoText(takesFromMs) })),
      text: (width) => table(['NAME', 'STATE', 'ORGANIZATIONS', 'ADDRESS', 'ANSWERS'], rows, { widthMax: width, shrinks: 'ANSWERS' }),
    };
  }),
});

function stateText({ state, takesFromMs }: ShownCell, nowMs: number): string {
  return state === 'open' && takesFromMs > nowMs ? `open from ${secondsText(isoText(takesFromMs))}` : state;
}

const add = command({
  description: 'Add a cell, a schema of the store\'s database or of another one, for organizations that are made from then on',
  args: {
    name: { ...nameArgument, description: 'Its name, and that of its schema: small letters, digits and underscores' },
    url: { type: 'string', valueHint: 'URL', description: 'postgres://USER@HOST:PORT/DATABASE of another server, without a password (PGPASSFILE)' },
  },
  run: ({ name, url }, tools) => onStore(tools, async ({ store }) => {
    const added = await store.cells.add(name, url);
    if (isRefusal(added)) return added;
    const text = `The cell ${name} is made. It takes organizations in ten seconds, when every process knows it.`;
    return { json: { name, state: added.state }, text };
  }),
});

const drain = command({
  description: 'Have a cell take no new organizations, and keep those that it has',
  args: { name: nameArgument },
  run: ({ name }, tools) => onStore(tools, async ({ store }) => stateSet(await store.cells.setState(name, 'drained'), 'takes no new organizations')),
});

const open = command({
  description: 'Have a drained cell take new organizations again',
  args: { name: { ...nameArgument, description: `The cell's name; ${homeName}: the store itself` } },
  run: ({ name }, tools) => onStore(tools, async ({ store }) => stateSet(await store.cells.setState(name, 'open'), 'takes new organizations')),
});

function stateSet<Refusal>(cell: StoredCell | Refusal, what: string) {
  if (isRefusal(cell)) return cell;
  const { name, state } = cell as StoredCell;
  return { json: { name, state }, text: `The cell ${name} ${what}.` };
}

const mended: Readonly<Record<CellDifference['what'], string>> = {
  lacking: 'made again, without keys, caps and settings', unplaced: 'found again', erased: 'erased again', keys: 'keys found again',
};

const mend = command({
  description: 'After a restore from a backup, have the store and its cells agree on which organizations and keys there are',
  args: {},
  run: (_values, tools) => onStore(tools, async ({ store }) => {
    const { differences: done, unread } = await store.cells.mend();
    for (const { cell, why } of unread) tools.stderr(`The cell ${cell} was left out. ${why}\n`);
    const exitCode = unread.length === 0 ? 0 : 1;
    if (done.length === 0) {
      const agreed = unread.length === 0 ? 'The store and its cells agree.' : 'The store and the other cells agree.';
      return { json: [], text: `${agreed} There is nothing to mend.`, exitCode };
    }
    const rows = done.map(({ cell, organization, name, what }) => [organization, name, cell, mended[what]]);
    return { json: done, text: (width) => table(['ORGANIZATION', 'NAME', 'CELL', 'DONE'], rows, { widthMax: width, shrinks: 'DONE' }), exitCode };
  }),
});

export const cellsCommand = commandGroup('List, add, drain, open and mend the cells of a PostgreSQL store', { list, add, drain, open, mend });
