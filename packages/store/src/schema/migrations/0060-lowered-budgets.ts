/** When a run's budget fell, and to what. Decision 200. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const loweredBudgets: Migration = async (transaction, engine) => {
  await transaction.schema.alterTable('run').addColumn('lowered', engine === 'sqlite' ? sql`text` : sql`text collate "C"`).execute();
};
