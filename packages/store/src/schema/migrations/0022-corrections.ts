/**
 * What a provider's bill differed by, as figures of their own beside the records: one for each provider, day and model that it was
 * recorded for. `model` is empty if the bill names none.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const corrections: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  const table = transaction.schema.createTable('correction')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('day_ms', whole, (column) => column.notNull())
    .addColumn('model', text, (column) => column.notNull())
    .addColumn('ours_nano', whole, (column) => column.notNull())
    .addColumn('theirs_nano', whole, (column) => column.notNull())
    .addColumn('bill', text, (column) => column.notNull())
    .addColumn('recorded_at_ms', whole, (column) => column.notNull())
    .addUniqueConstraint('correction_once', ['organization', 'provider', 'day_ms', 'model']);
  await (engine === 'sqlite' ? table.modifyEnd(sql`strict`) : table).execute();
};
