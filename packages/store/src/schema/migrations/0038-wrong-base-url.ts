/** What becomes of calls that were meant for the second provider and would go to the first; null: they are forwarded. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const wrongBaseUrl: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  await transaction.schema.alterTable('organization').addColumn('wrong_base_url', text).execute();
};
