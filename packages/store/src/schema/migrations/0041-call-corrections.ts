/** What calls cost by other prices than those that they were recorded by: one row for each call whose cost differs, beside its record. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const callCorrections: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  const table = transaction.schema.createTable('call_correction')
    .addColumn('sequence', whole, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('started_at_ms', whole, (column) => column.notNull())
    .addColumn('recorded_nano', whole)
    .addColumn('cost_nano', whole, (column) => column.notNull())
    .addColumn('cost_gaps', text)
    .addColumn('price_list', text, (column) => column.notNull())
    .addColumn('corrected_at_ms', whole, (column) => column.notNull());
  await (engine === 'sqlite' ? table.modifyEnd(sql`strict`) : table).execute();
  await sql`create index call_correction_by_time on call_correction (organization, started_at_ms, sequence)`.execute(transaction);
};
