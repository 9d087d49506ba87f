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
 * The columns are made anew at the end, not the tables: grants on the whole table, and where it is on Citus, stay. Grants on one of these columns are
 * lost, and a view of an operator's own that reads one holds the upgrade up (`upgrade-dependants.ts`). Pages are filled to 40 %, so a row finds room
 * for its new version beside it; those that were full before schema 56 have none, and their rows' new versions go to other pages.
 */
export const figuresSideBySide: Migration = async (transaction, engine) => {
  if (engine === 'sqlite') return;
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  for (const table of ['attribution_sum', 'word_sum']) {
    await run(`alter table ${table} ${moved.map((name) => `add column ${name}_ bigint not null default 0`).join(', ')}`);
    await run(`update ${table} set ${moved.map((name) => `${name}_ = ${name}`).join(', ')}`);
    await run(`alter table ${table} ${moved.flatMap((name) => [`alter column ${name}_ drop default`, `drop column ${name}`]).join(', ')}`);
    for (const name of moved) await run(`alter table ${table} rename column ${name}_ to ${name}`);
  }
};
