/** Price lists that the operator imported, as the product keeps a list. At most one is in force; without one it is the shipped list. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const priceLists: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  const table = transaction.schema.createTable('price_list')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('json', text, (column) => column.notNull())
    .addColumn('imported_at_ms', whole, (column) => column.notNull())
    .addColumn('in_force', whole, (column) => column.notNull())
    .addColumn('revision', whole, (column) => column.notNull());
  await (engine === 'sqlite' ? table.modifyEnd(sql`strict`) : table).execute();
};
