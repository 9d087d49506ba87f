/** Where an organization is, if not here: the cells of a PostgreSQL store. Decision 210. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const cellTables: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  const made = [
    transaction.schema.createTable('cell')
      .addColumn('number', whole, (column) => column.primaryKey().notNull())
      .addColumn('name', text, (column) => column.notNull().unique())
      .addColumn('schema', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('added_at_ms', whole, (column) => column.notNull()),
    transaction.schema.createTable('organization_place')
      .addColumn('organization', text, (column) => column.primaryKey().notNull())
      .addColumn('cell', whole, (column) => column.notNull())
      .addColumn('ready', whole, (column) => column.notNull()),
    transaction.schema.createTable('key_place')
      .addColumn('hash', text, (column) => column.primaryKey().notNull())
      .addColumn('organization', text, (column) => column.notNull()),
  ];
  for (const table of made) await (engine === 'sqlite' ? table.modifyEnd(sql`strict`) : table).execute();
  await sql`create index key_place_by_organization on key_place (organization)`.execute(transaction);
};
