/**
 * The schema of a new cell, with a store in it. On a server with Citus the schema is a distributed one, so Citus places it on a worker and moves
 * it. Every step is repeatable: a cell that is only half made is in no directory, and the same command makes the rest.
 */
import type pg from 'pg';
import { openUnhurriedPool } from '../../engine/postgres-pool.ts';
import { faultOf } from '../../engine/fault.ts';
import { parseDatabaseUrl } from '../../engine/database-url.ts';

/** `makeStore` makes the tables in the schema. @throws StoreFault */
export async function makeCell(url: string, schema: string, makeStore: () => Promise<void>): Promise<void> {
  const pool = openUnhurriedPool(url);
  try {
    await pool.query(`create schema if not exists ${schema}`);
    await makeStore();
    if (await hasCitus(pool)) await distribute(pool, schema);
  } catch (error) {
    throw faultOf(error, parseDatabaseUrl(url).name);
  } finally {
    await pool.end();
  }
}

async function hasCitus(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query("select from pg_extension where extname = 'citus'");
  return rowCount === 1;
}

async function distribute(pool: pg.Pool, schema: string): Promise<void> {
  const { rowCount } = await pool.query("select from citus_schemas where schema_name = $1::text::regnamespace", [schema]);
  if (rowCount === 1) return;
  await dropTriggersOfOlderVersions(pool, schema);
  await nameRows(pool, schema);
  // The others only tell of changes, wherever they run.
  await pool.query('set citus.enable_unsafe_triggers = on');
  await pool.query('select citus_schema_distribute($1::text::regnamespace)', [schema]);
}

/**
 * They look at other tables, which a worker's part of theirs does not see. They are there for gateways of versions that know no cells, and so never
 * write to one.
 */
async function dropTriggersOfOlderVersions(pool: pg.Pool, schema: string): Promise<void> {
  const { rows } = await pool.query<{ trigger: string; table: string }>(`select t.tgname as trigger, c.relname as table from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid where c.relnamespace = $1::text::regnamespace and not t.tgisinternal and t.tgname <> 'metergate_changed'`,
  [schema]);
  for (const { trigger, table } of rows) await pool.query(`drop trigger ${trigger} on ${schema}.${table}`);
}

/** Citus moves a table while it is written to only if its rows can be told apart: those without a key by all of their columns. */
async function nameRows(pool: pg.Pool, schema: string): Promise<void> {
  const { rows } = await pool.query<{ table: string }>(`select c.relname as table from pg_class as c where c.relnamespace = $1::text::regnamespace
    and c.relkind = 'r' and not exists (select 1 from pg_constraint as k where k.conrelid = c.oid and k.contype = 'p')`, [schema]);
  for (const { table } of rows) await pool.query(`alter table ${schema}.${table} replica identity full`);
}
