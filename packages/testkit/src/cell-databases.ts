/**
 * Databases for a test run in which every store is a cell: a schema of its own, and a distributed one where the server has Citus. For running the
 * contract suite on cells: `TEST_POSTGRES_CELLS=1` beside `TEST_POSTGRES_URL`. A database with Citus cannot be copied, so each store is made anew.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

const schema = 'cell';

/** As those that a test server makes: see `TestPostgres`. */
export interface CellDatabases {
  createDatabase(): Promise<string>;
  copyOf(name: string, make: (address: string) => Promise<void>): Promise<string>;
}

export function cellDatabasesOn(url: string): CellDatabases {
  const createDatabase = async (): Promise<string> => {
    const name = `t_${randomBytes(8).toString('hex')}`;
    await asked(url, `create database ${name} template template0`);
    const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
    if (await hasCitus(own)) {
      await asked(own, 'create extension citus');
      await asked(own, `select citus_set_coordinator_host('127.0.0.1', ${new URL(url).port})`);
      await asked(own, `select citus_set_node_property('127.0.0.1', ${new URL(url).port}, 'shouldhaveshards', true)`);
    }
    await asked(own, `create schema ${schema}`);
    return `${own}?options=-c%20search_path%3D${schema}`;
  };
  return {
    createDatabase,
    async copyOf(_name, make) {
      const made = await createDatabase();
      await make(made);
      if (await hasCitus(made)) await asked(made, 'set citus.enable_unsafe_triggers = on', `select citus_schema_distribute('${schema}')`);
      return made;
    },
  };
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
