/** Cells on servers of their own: the address of each, where it is not that of the directory. Decision 250. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const cellAddresses: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  await transaction.schema.alterTable('cell').addColumn('address', text, (column) => column.notNull().defaultTo('')).execute();
};
