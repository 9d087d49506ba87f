/**
 * Sums of labels and runs by day say in which hours of the day their calls started, so that the page of a rare label reads the records of
 * those hours alone. Rows written before do not say so: of their days all hours are looked through, as before.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const labelHours: Migration = async (transaction, engine) => {
  await transaction.schema.alterTable('word_sum').addColumn('hours', engine === 'sqlite' ? sql`integer` : sql`bigint`).execute();
};
