/**
 * Figures that every call changes stand side by side in sums on PostgreSQL. Its log holds what lies between the first and the last byte that an
 * update changes, and between calls and tokens there were four figures that hardly ever change (decision 0285). On SQLite nothing changes: its log
 * holds whole pages.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Put behind all others, in this order: what changes more often comes first. */
const moved = ['cached_tokens', 'saved_calls', 'reasoning_tokens', 'cache_write_tokens', 'unknown_calls', 'unpriced_calls', 'gap_calls'] as const;

/**
 * The columns are made anew at the end, not the tables: grants on the whole table, and where it is on Citus, stay. Grants on one of these columns
 * are given again, and a view of an operator's own that reads one holds the upgrade up (`upgrade-dependants.ts`). Pages are filled to 40 %, so a row
 * finds room for its new version beside it; those that were full before schema 56 have none, and their rows' new versions go to other pages.
 */
export const figuresSideBySide: Migration = async (transaction, engine) => {
  if (engine === 'sqlite') return;
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  for (const table of ['attribution_sum', 'word_sum']) {
    await run(`alter table ${table} ${moved.map((name) => `add column ${name}_ bigint not null default 0`).join(', ')}`);
    await run(`update ${table} set ${moved.map((name) => `${name}_ = ${name}`).join(', ')}`);
    const grants = await columnGrants(transaction, table);
    await run(`alter table ${table} ${moved.flatMap((name) => [`alter column ${name}_ drop default`, `drop column ${name}`]).join(', ')}`);
    for (const name of moved) await run(`alter table ${table} rename column ${name}_ to ${name}`);
    for (const grant of grants) await run(grant);
  }
};

/** What gives an operator's roles again what they may do with each of these columns. */
async function columnGrants(transaction: Parameters<Migration>[0], table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly statement: string }>`
    select format('grant %s (%I) on %I to %s%s', granted.privilege_type, held.attname, ${table}::text,
      case granted.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(granted.grantee)) end,
      case when granted.is_grantable then ' with grant option' else '' end) as statement
    from pg_attribute held, aclexplode(held.attacl) granted
    where held.attrelid = ${table}::text::regclass and held.attname in (${sql.join(moved)})
  `.execute(transaction);
  return rows.map(({ statement }) => statement);
}
