/**
 * What an organization says of calls whose caller hides what they use; null: it allows them. Whoever refuses work whose usage is never reported
 * refuses that too, until they say otherwise. Decision 322.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const hiddenUsage: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  await transaction.schema.alterTable('organization').addColumn('unmetered_hidden', text).execute();
  await sql`update organization set unmetered_hidden = unmetered_unreported where unmetered_unreported is not null`.execute(transaction);
};
