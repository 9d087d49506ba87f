/**
 * Places for a test run in which every store is a cell: one of eight schemas of a database, which the stores beside it use at the same time. For
 * running the contract suite on cells: `TEST_POSTGRES_CELLS=1` beside `TEST_POSTGRES_URL`. A database with Citus cannot be copied, so each store is
 * made anew.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

const cellsOfDatabase = 8;

/** As those that a test server makes: see `TestPostgres`. */
export interface CellDatabases {
  createDatabase(): Promise<string>;
  copyOf(name: string, make: (address: string) => Promise<void>): Promise<string>;
  readonly copy: null;
}

export function cellDatabasesOn(url: string): CellDatabases {
  /** Of the database that was made last. */
  let free: string[] = [];
  let making: Promise<void> | null = null;
  const makeMore = async (): Promise<void> => {
    free = await cellsOfNewDatabase(url);
    making = null;
  };
  const createDatabase = async (): Promise<string> => {
    const next = free.pop();
    if (next !== undefined) return next;
    await (making ??= makeMore());
    return createDatabase();
  };
  return {
    createDatabase,
    copy: null,
    async copyOf(_name, make) {
      const made = await createDatabase();
      await make(made);
      return made;
    },
  };
}

/** Their addresses. */
async function cellsOfNewDatabase(url: string): Promise<string[]> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  await asked(url, `create database ${name} template template0`);
  const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  if (await hasCitus(own)) {
    await asked(own, 'create extension citus');
    await asked(own, `select citus_set_coordinator_host('127.0.0.1', ${new URL(url).port})`);
    await asked(own, `select citus_set_node_property('127.0.0.1', ${new URL(url).port}, 'shouldhaveshards', true)`);
  }
  const schemas = Array.from({ length: cellsOfDatabase }, (_, at) => `cell_${at + 1}`);
  await asked(own, ...schemas.map((schema) => `create schema ${schema}`));
  return schemas.map((schema) => `${own}?options=-c%20search_path%3D${schema}`);
}

async function hasCitus(url: string): Promise<boolean> {
  return (await asked(url, "select from pg_settings where name = 'shared_preload_libraries' and setting like '%citus%'")) > 0;
}

/** How many rows the last statement gave. */
async function asked(url: string, ...texts: readonly string[]): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows = 0;
    for (const text of texts) rows = (await client.query(text)).rowCount ?? 0;
    return rows;
  } finally {
    await client.end();
  }
}
