/**
 * The store: everything the product remembers, on SQLite or PostgreSQL behind one interface, in one cell or in several (decision 210).
 */
import type { Engine } from './engine/engine.ts';
import { cellUrl } from './engine/cell-url.ts';
import { celledStore } from './operation/cells/celled-store.ts';
import { OpenCells } from './operation/cells/cells.ts';
import type { StoredCell } from './operation/cells/directory.ts';
import { openOne, type Store, type StoreOptions } from './operation/cells/one-store.ts';
import { inTurns } from './operation/cells/reach.ts';
import { assertNoDependants } from './schema/migrations/upgrade-dependants.ts';
import { createVault } from './sealing/vault.ts';

export type { Repositories, Store, StoreOptions } from './operation/cells/one-store.ts';

/**
 * Opens the store with all of its cells, or says in one sentence why it cannot. A cell that is away is opened when it is needed and back.
 * @throws StoreFault; nothing stays open then, and nothing half-made is left behind.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { store } = await openWithCells(options);
  return store;
}

type CellPlace = Pick<StoredCell, 'name' | 'schema' | 'address'>;

/** Closes the store where it throws. */
async function tend(url: string, { schema }: CellPlace, store: Store): Promise<void> {
  try {
    const { tendCell } = await import('./operation/cells/make-cell.ts');
    await tendCell(url, schema);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** As `openStore`, with the stores of the cells by themselves. */
export async function openWithCells(options: StoreOptions): Promise<{ readonly store: Store; readonly cells: OpenCells }> {
  const { url, masterKey, clock, randomBytes, create, progress, namesLost } = options;
  const vault = createVault(masterKey, randomBytes);
  const given = { clock, randomBytes, create, ...(namesLost === undefined ? {} : { namesLost }) };
  const baseOf = ({ address }: CellPlace): string => (address === '' ? url : address);
  const openCell = (cell: CellPlace, over: { readonly create: boolean } = given): Promise<Store> => openOne({
    ...given, ...over, url: cellUrl(baseOf(cell), cell.schema), vault: vault.another(), follows: true, isCell: true,
    ...(progress === undefined ? {} : { progress: (made) => progress({ ...made, cell: cell.name }) }),
  });
  // Nodes of this version do not serve a cell that stays behind, so no cell may hold its upgrade up after the first was made.
  const beforeUpgrade = async (engine: Engine, from: number): Promise<void> => {
    const { allDependants } = await import('./schema/migrations/dependants-of-cells.ts');
    assertNoDependants(engine, await allDependants(engine, url, from));
  };
  const home = await openOne({ ...given, url, vault, follows: false, beforeUpgrade, ...(progress === undefined ? {} : { progress }) });
  const cells = new OpenCells({
    home, async open(cell) {
      const store = await openCell(cell);
      if (create) await tend(baseOf(cell), cell, store);
      return store;
    },
  });
  if (home.engine === 'sqlite') return { store: home, cells };
  try {
    await cells.look();
    const makeSchema = async (cell: CellPlace): Promise<boolean> => {
      const { makeCell } = await import('./operation/cells/make-cell.ts');
      return makeCell(baseOf(cell), cell.schema, async () => {
        const made = await openCell(cell, { create: true });
        return made.organizations.list().then((found) => found.length === 0).finally(() => made.close());
      });
    };
    const store = celledStore({ cells, home, acting: (each) => each, makeSchema });
    // A cell that is away now is brought up to date by the next process that finds it.
    if (create) await inTurns(cells.all, async (cell) => void await cell.store().catch(() => null));
    return { store, cells };
  } catch (error) {
    await home.close();
    throw error;
  }
}

