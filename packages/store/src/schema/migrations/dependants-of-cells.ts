/** What operators made on the tables of a store and of all of its cells, looked at before the first of them is upgraded. */
import { sql } from 'kysely';
import { cellUrl } from '../../engine/cell-url.ts';
import { openEngine, type Engine } from '../../engine/engine.ts';
import { schemaVersionIn } from './prepare-schema.ts';
import { upgradeDependants, type UpgradeDependant } from './upgrade-dependants.ts';

/** The version that brought cells. */
const firstWithCells = 61;

/** A cell other than the default one, by its own address. */
export interface CellToUpgrade {
  readonly name: string;
  readonly schema: string;
  readonly url: string;
}

/** Of an older store at `url`, whose schema is `from`. */
export async function cellsToUpgrade(engine: Engine, url: string, from: number): Promise<readonly CellToUpgrade[]> {
  if (engine.kind === 'sqlite' || from < firstWithCells) return [];
  // The address of a cell came a version later.
  const { rows } = await engine.read((db) => sql<{ name: string; schema: string; address?: string }>`select * from cell where schema <> ''
    order by number`.execute(db));
  return rows.map(({ name, schema, address = '' }) => ({ name, schema, url: cellUrl(address === '' ? url : address, schema) }));
}

/** Of an older store at `url`, whose schema is `from`. A cell that is away is left out. */
export async function allDependants(engine: Engine, url: string, from: number): Promise<readonly UpgradeDependant[]> {
  const found = [...await engine.read((db) => upgradeDependants(engine, db, from))];
  for (const cell of await cellsToUpgrade(engine, url, from)) found.push(...await inCell(cell));
  return found;
}

async function inCell({ url, schema }: CellToUpgrade): Promise<readonly UpgradeDependant[]> {
  let engine: Engine | null = null;
  try {
    engine = await openEngine(url, { create: false, isCell: true });
    const cell = engine;
    return await cell.read(async (db) => {
      const from = await schemaVersionIn(cell, db);
      return from === null ? [] : (await upgradeDependants(cell, db, from)).map(({ what, table }) => ({ what, table: `${schema}.${table}` }));
    });
  } catch {
    return [];
  } finally {
    await engine?.close();
  }
}
