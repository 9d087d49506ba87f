/** The models that may be asked for, as patterns in a JSON array; null: all. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const models: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  for (const table of ['organization', 'service_key']) await transaction.schema.alterTable(table).addColumn('models', text).execute();
};
