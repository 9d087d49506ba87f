/** Rules by which an organization's months are allocated. Decision 146. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const allocationTables: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  let table = transaction.schema.createTable('allocation_rules')
    .addColumn('organization', text, (column) => column.primaryKey().notNull())
    .addColumn('json', text, (column) => column.notNull());
  if (engine === 'sqlite') table = table.modifyEnd(sql`strict`);
  await table.execute();
};
