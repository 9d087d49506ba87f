/** What an organization says of work whose cost is not known at its end, for each kind; null: it allows it. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const unmeteredWork: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  for (const name of ['unmetered_deferred', 'unmetered_unreported', 'unmetered_handed_out']) {
    await transaction.schema.alterTable('organization').addColumn(name, text).execute();
  }
};
