/** Whether the platform asks by itself what became of an organization's work that is billed later; null: it does not. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const followedWork: Migration = async (transaction, engine) => {
  const whole = engine === 'sqlite' ? sql`integer` : sql`bigint`;
  await transaction.schema.alterTable('organization').addColumn('follow', whole).execute();
};
