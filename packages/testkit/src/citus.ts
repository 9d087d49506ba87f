/**
 * A real Citus for tests: a coordinator and two workers, each a server of its own on this machine. It is the one whose packages are installed here,
 * or that of `TEST_CITUS_BIN`, the folder of the programs of a PostgreSQL that has Citus. Where there is none, whoever asks says so.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres, type OwnPostgres } from './postgres.ts';

export interface TestCitus {
  readonly coordinator: OwnPostgres;
  readonly workers: readonly OwnPostgres[];
  /** A database that all three servers hold, with the workers known to the coordinator; its address there. */
  createDatabase(): Promise<string>;
  /** The worker that holds a schema of the database. */
  workerOf(url: string, schema: string): Promise<OwnPostgres>;
  /** Has Citus move a schema to another worker, while it is used. */
  move(url: string, schema: string, to: OwnPostgres): Promise<void>;
  stop(): Promise<void>;
}

export const withoutCitus = 'there is no Citus here: its packages are not installed, and TEST_CITUS_BIN names none';

const workerCount = 2;
/** What each of its servers needs. */
export const citusSettings = {
  shared_preload_libraries: 'citus', wal_level: 'logical', max_prepared_transactions: '200', max_connections: '300',
  'citus.local_hostname': '127.0.0.1', 'citus.node_conninfo': 'sslmode=disable', 'citus.max_adaptive_executor_pool_size': '4',
} as const;

/** Null: there is none here. */
export async function testCitus(): Promise<TestCitus | null> {
  const bin = citusBin();
  if (bin === null) return null;
  const [coordinator, ...workers] = await startAll(bin);
  return {
    coordinator: coordinator!, workers,
    async createDatabase() {
      const name = `t_${randomBytes(8).toString('hex')}`;
      const all = [coordinator!, ...workers];
      for (const server of all) {
        await asked(server.url, `create database ${name}`);
        await asked(databaseOn(server, name), 'create extension citus');
      }
      const own = databaseOn(coordinator!, name);
      await asked(own, `select citus_set_coordinator_host('127.0.0.1', ${portOf(coordinator!)})`);
      for (const worker of workers) await asked(own, `select citus_add_node('127.0.0.1', ${portOf(worker)})`);
      return own;
    },
    async workerOf(url, schema) {
      const [row] = await asked(url, `select nodeport from citus_shards where table_name = '${schema}.journal_segment'::regclass limit 1`);
      return [coordinator!, ...workers].find((server) => portOf(server) === String(row!['nodeport']))!;
    },
    async move(url, schema, to) {
      await asked(url, `select citus_schema_move('${schema}', '127.0.0.1', ${portOf(to)})`);
    },
    async stop() {
      await Promise.all([coordinator!, ...workers].map((server) => server.stop()));
    },
  };
}

async function startAll(bin: string): Promise<OwnPostgres[]> {
  const started: OwnPostgres[] = [];
  try {
    for (let count = 0; count <= workerCount; count += 1) started.push(await startPostgres({ bin, settings: citusSettings }));
    return started;
  } catch (error) {
    await Promise.all(started.map((server) => server.stop()));
    throw error;
  }
}

/** Where the packages of Debian and of Red Hat put each PostgreSQL. */
const installed = ['/usr/lib/postgresql/*', '/usr/pgsql-*'];

/** The folder of the programs of a PostgreSQL with Citus. Null: there is none here. */
export function citusBin(): string | null {
  const { TEST_CITUS_BIN: named } = process.env;
  if (named !== undefined && named !== '') return named;
  return installed.flatMap((pattern) => globSync(pattern)).sort().reverse()
    .filter((folder) => existsSync(join(folder, 'lib/citus.so')) && existsSync(join(folder, 'bin/initdb'))).map((folder) => join(folder, 'bin'))[0]
    ?? null;
}

function portOf(server: OwnPostgres): string {
  return new URL(server.url).port;
}

function databaseOn(server: OwnPostgres, name: string): string {
  return Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
}

async function asked(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
