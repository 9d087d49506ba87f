/**
 * What an operator made on a table that an upgrade takes, or takes columns from: views that would hold it up in the middle, or break without a word.
 * They are named before anything is changed.
 */
import { sql, type Kysely } from 'kysely';
import { StoreFault } from '../../engine/fault.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Schema } from '../schema.ts';

/** Something that is not of the store and reads what an upgrade takes. */
export interface UpgradeDependant {
  /** As people say it: `view finance.costs`. */
  readonly what: string;
  /** The table of the store that it reads. */
  readonly table: string;
}

interface Taken {
  readonly table: string;
  /** Null: the whole table. */
  readonly columns: readonly string[] | null;
}

const figuresMoved = ['cached_tokens', 'saved_calls', 'reasoning_tokens', 'cache_write_tokens', 'unknown_calls', 'unpriced_calls', 'gap_calls'];

/** What each migration takes away, even to make it anew; all others only add. A test with a view on every table finds one that is lacking. */
const takenBy: Readonly<Record<Engine['kind'], ReadonlyMap<number, readonly Taken[]>>> = {
  sqlite: new Map([[31, [{ table: 'spend_sum', columns: null }]]]),
  postgres: new Map([[63, ['attribution_sum', 'word_sum'].map((table) => ({ table, columns: figuresMoved }))]]),
};

/** Of a store of schema `from`, in the order of their names. */
export async function upgradeDependants(engine: Engine, db: Kysely<Schema>, from: number): Promise<readonly UpgradeDependant[]> {
  const taken = [...takenBy[engine.kind]].flatMap(([version, what]) => (version > from ? what : []));
  const found: UpgradeDependant[] = [];
  for (const each of taken) found.push(...await (engine.kind === 'sqlite' ? inFile(db, each) : onServer(db, each)));
  return found.sort((one, other) => (one.what + one.table < other.what + other.table ? -1 : 1));
}

/** @throws StoreFault `upgrade_held_up` where there are any. */
export function assertNoDependants(engine: Pick<Engine, 'name'>, found: readonly UpgradeDependant[]): void {
  if (found.length === 0) return;
  throw new StoreFault('upgrade_held_up', `The store at ${engine.name} was not upgraded, and nothing was changed. ${dependantsInWords(found)}`);
}

/** What they are, and what to do. */
export function dependantsInWords(found: readonly UpgradeDependant[]): string {
  const named = found.map(({ what, table }) => `${what} (on ${table})`).join(', ');
  return `The upgrade rebuilds tables that something of your own reads: ${named}. Keep its definition, drop it, upgrade, and create it again.`;
}

interface InFile {
  readonly type: string;
  readonly name: string;
  readonly on: string;
  readonly text: string;
}

/**
 * SQLite keeps the texts of views, triggers and indexes, and does not say what they read. Views of such views are found by their names. The store
 * never had an index with a text on a table that it takes.
 */
async function inFile(db: Kysely<Schema>, { table }: Taken): Promise<UpgradeDependant[]> {
  const { rows } = await sql<InFile>`select type, name, tbl_name as "on", sql as text from sqlite_master
    where type in ('view', 'trigger', 'index') and sql is not null`.execute(db);
  const found = new Set<InFile>();
  const named = [table];
  // It grows while it is gone through.
  for (const read of named) {
    for (const each of rows.filter((row) => !found.has(row) && reads(row, read))) {
      found.add(each);
      if (each.type === 'view') named.push(each.name.toLowerCase());
    }
  }
  return [...found].map(({ type, name }) => ({ what: `${type} ${name}`, table }));
}

/** `read`: in lower case. A name of other characters than the store's own is looked for anywhere. */
function reads({ type, on, text }: InFile, read: string): boolean {
  if (type === 'index') return on.toLowerCase() === read;
  const lower = text.toLowerCase();
  return /[^a-z0-9_]/.test(read) ? lower.includes(read) : lower.split(/[^a-z0-9_]/).includes(read);
}

/**
 * A view depends on columns by its rule, and so do views of that view. Indexes and statistics of a column would go with it unseen, so they are named
 * too. A column's own default and, from PostgreSQL 18 on, its "not null" are the product's.
 */
async function onServer(db: Kysely<Schema>, { table, columns }: Taken): Promise<UpgradeDependant[]> {
  const wanted = columns === null ? sql`true` : sql`a.attname in (${sql.join(columns)})`;
  const { rows } = await sql<{ what: string }>`with recursive depending(class, object, part) as (
      select case when r.oid is null then d.classid else 'pg_class'::regclass end, coalesce(r.ev_class, d.objid), d.objsubid
      from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
      join pg_depend as d on d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and d.refobjsubid = a.attnum and d.deptype in ('n', 'a')
      left join pg_rewrite as r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
      left join pg_constraint as k on d.classid = 'pg_constraint'::regclass and k.oid = d.objid
      left join pg_attrdef as f on d.classid = 'pg_attrdef'::regclass and f.oid = d.objid
      where c.relname = ${table} and pg_table_is_visible(c.oid) and ${wanted} and (f.adnum is null or f.adnum <> a.attnum)
        and k.contype is distinct from 'n'
      union
      select 'pg_class'::regclass, r.ev_class, 0 from depending as v
      join pg_depend as d on d.refclassid = v.class and d.refobjid = v.object and d.classid = 'pg_rewrite'::regclass and d.deptype = 'n'
      join pg_rewrite as r on r.oid = d.objid
    ) select distinct pg_describe_object(class, object, part) as what from depending`.execute(db);
  return rows.map(({ what }) => ({ what, table }));
}
