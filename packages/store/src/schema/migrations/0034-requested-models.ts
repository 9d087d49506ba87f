/**
 * The model that a call asked for, what was reported in other units than tokens, and whether the cost is by the model that was asked for. Calls
 * that were kept before have none of them: they were priced by the model that answered.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const requestedModels: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  for (const name of ['requested_model', 'units', 'priced_by']) {
    await transaction.schema.alterTable('call_record').addColumn(name, text).execute();
  }
};
