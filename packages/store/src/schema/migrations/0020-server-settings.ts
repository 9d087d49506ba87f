/**
 * What the server that started last goes by beside the store: commands in another shell go by the same. One row; the settings are JSON text.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const serverSettings: Migration = async (transaction, engine) => {
  const { text, whole } = engine === 'sqlite' ? { text: sql`text`, whole: sql`integer` } : { text: sql`text collate "C"`, whole: sql`bigint` };
  const builder = transaction.schema.createTable('server_settings')
    .addColumn('only', whole, (column) => column.primaryKey().notNull())
    .addColumn('settings', text, (column) => column.notNull());
  await (engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder).execute();
};
