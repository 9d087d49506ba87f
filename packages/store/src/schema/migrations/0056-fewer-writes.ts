/**
 * Two things that make shipping to PostgreSQL cheaper (decision 205). Rows of sums are changed again and again: pages that are not filled keep their
 * new versions beside the old ones, and no index is written. And organizations may be shipped ahead of their segment, each with a mark of its own.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** How much of a page inserts fill, in percent. */
const filled = 40;
const changedOften = ['usage_sum', 'attribution_sum', 'word_sum', 'hour_sum', 'spend_day', 'spend_lease', 'run', 'run_exposure', 'receipt_chain',
  'journal_segment', 'gateway_node', 'node_report'] as const;

export const fewerWrites: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? ['text', 'integer'] : ['text collate "C"', 'bigint'];
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  await run(`create table journal_ahead (segment ${text} not null, organization ${text} not null, mark ${whole} not null,
    primary key (segment, organization))${engine === 'sqlite' ? ' strict' : ` with (fillfactor = ${filled})`}`);
  if (engine === 'sqlite') return;
  for (const table of changedOften) await run(`alter table ${table} set (fillfactor = ${filled})`);
};
