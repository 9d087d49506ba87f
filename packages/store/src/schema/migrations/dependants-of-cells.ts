/** What operators made on the tables of a store and of all of its cells, looked at before the first of them is upgraded. */
import { sql } from 'kysely';
import { cellUrl } from '../../engine/cell-url.ts';
import { openEngine, type Engine } from '../../engine/engine.ts';
import { schemaVersionIn } from './prepare-schema.ts';
import { upgradeDependants, type UpgradeDependant } from './upgrade-dependants.ts';

/** The version that brought cells. */
const firstWithCells = 61;

/** Of an older store at `url`, whose schema is `from`. A cell that is away is left out. */
export async function allDependants(engine: Engine, url: string, from: number): Promise<readonly UpgradeDependant[]> {
  const found = [...await engine.read((db) => upgradeDependants(engine, db, from))];
  if (engine.kind === 'sqlite' || from < firstWithCells) return found;
  // The address of a cell came a version later.
  const { rows } = await engine.read((db) => sql<{ schema: string; address?: string }>`select * from cell where schema <> ''`.execute(db));
  for (const { schema, address = '' } of rows) found.push(...await inCell(cellUrl(address === '' ? url : address, schema), schema));
  return found;
}

async function inCell(url: string, schema: string): Promise<readonly UpgradeDependant[]> {
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
