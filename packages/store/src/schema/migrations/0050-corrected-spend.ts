/**
 * What of a call's correction counts as spent (0: nothing), and what corrections changed in the sums of spend, in the order in which they did: a
 * node that is alone with its store holds those sums in memory, and is told of it.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const correctedSpend: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  await transaction.schema.alterTable('call_correction').addColumn('counted_nano', whole, (column) => column.notNull().defaultTo(0)).execute();
  const table = transaction.schema.createTable('corrected_spend')
    .addColumn('number', whole, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('day_ms', whole, (column) => column.notNull())
    .addColumn('amount_nano', whole, (column) => column.notNull())
    .addColumn('at_ms', whole, (column) => column.notNull());
  await (engine === 'sqlite' ? table.modifyEnd(sql`strict`) : table).execute();
};
