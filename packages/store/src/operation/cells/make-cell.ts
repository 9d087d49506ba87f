/**
 * The schema of a cell, with a store in it. On a server with Citus the schema is a distributed one, so Citus places it on a worker and moves it.
 * Every step is repeatable: a cell that is only half made is in no directory, and the same command makes the rest.
 */
import type pg from 'pg';
import { openUnhurriedPool } from '../../engine/postgres-pool.ts';
import { faultOf } from '../../engine/fault.ts';
import { parseDatabaseUrl } from '../../engine/database-url.ts';

/**
 * `makeStore` makes the tables in the schema. It gives false where a store is there that is in use: then nothing more is done, and so does this.
 * @throws StoreFault
 */
export async function makeCell(url: string, schema: string, makeStore: () => Promise<boolean>): Promise<boolean> {
  return alone(url, async (client) => {
    await client.query(`create schema if not exists "${schema}"`);
    if (!await makeStore()) return false;
    if (await hasCitus(client)) await distribute(client, schema);
    return true;
  });
}

/** After a cell was brought up to date: what its new tables need to be moved. @throws StoreFault */
export async function tendCell(url: string, schema: string): Promise<void> {
  await alone(url, async (client) => {
    if (await hasCitus(client) && await isDistributed(client, schema)) await makeMovable(client, schema);
  });
}

/** What a killed command sent goes on until the server notices, and holds the lock as long. */
async function alone<Done>(url: string, work: (client: pg.PoolClient) => Promise<Done>): Promise<Done> {
  const pool = openUnhurriedPool(url);
  let client: pg.PoolClient | null = null;
  try {
    client = await pool.connect();
    await client.query('select pg_advisory_lock($1)', [makingLock]);
    const done = await work(client);
    await client.query('select pg_advisory_unlock($1)', [makingLock]);
    return done;
  } catch (error) {
    throw faultOf(error, parseDatabaseUrl(url).name);
  } finally {
    client?.release();
    await pool.end();
  }
}

const namespace = '(select oid from pg_namespace where nspname = $1)';
/** One cell of a database is made at a time. */
const makingLock = 7_215_004;

async function hasCitus(client: pg.PoolClient): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'");
  return rowCount === 1;
}

async function isDistributed(client: pg.PoolClient, schema: string): Promise<boolean> {
  // Not the view for people: it need not be on this search path.
  const { rowCount } = await client.query(`select from pg_dist_schema where schemaid = ${namespace}`, [schema]);
  return rowCount === 1;
}

async function makeMovable(client: pg.PoolClient, schema: string): Promise<void> {
  await dropTriggersOfOlderVersions(client, schema);
  await nameRows(client, schema);
}

async function distribute(client: pg.PoolClient, schema: string): Promise<void> {
  await makeMovable(client, schema);
  if (await isDistributed(client, schema)) return;
  // The others only tell of changes, wherever they run.
  await client.query('set citus.enable_unsafe_triggers = on');
  await client.query('select citus_schema_distribute(quote_ident($1)::regnamespace)', [schema]);
}

/**
 * They look at other tables, which a worker's part of theirs does not see. They are there for gateways of versions that know no cells, and so never
 * write to one.
 */
async function dropTriggersOfOlderVersions(client: pg.PoolClient, schema: string): Promise<void> {
  const { rows } = await client.query<{ trigger: string; table: string }>(`select t.tgname as trigger, c.relname as table from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid where c.relnamespace = ${namespace} and not t.tgisinternal and t.tgname <> 'metergate_changed'`,
  [schema]);
  for (const { trigger, table } of rows) await client.query(`drop trigger ${trigger} on "${schema}".${table}`);
}

/** Citus moves a table while it is written to only if its rows can be told apart: those without a key by all of their columns. */
async function nameRows(client: pg.PoolClient, schema: string): Promise<void> {
  const { rows } = await client.query<{ table: string }>(`select c.relname as table from pg_class as c where c.relnamespace = ${namespace}
    and c.relkind = 'r' and c.relreplident <> 'f'
    and not exists (select 1 from pg_constraint as k where k.conrelid = c.oid and k.contype = 'p')`, [schema]);
  for (const { table } of rows) await client.query(`alter table "${schema}".${table} replica identity full`);
}
