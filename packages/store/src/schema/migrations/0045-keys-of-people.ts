/** Whose key a service key is; null: nobody's in particular. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const keysOfPeople: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  await transaction.schema.alterTable('service_key').addColumn('person', text).execute();
  await sql`create index service_key_by_person on service_key (person) where person is not null`.execute(transaction);
};
