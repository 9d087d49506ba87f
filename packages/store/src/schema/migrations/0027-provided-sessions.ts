/** Sessions that an identity provider vouched for know its issuer: they last shorter than others (decision 75). */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const providedSessions: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  await transaction.schema.alterTable('person_session').addColumn('provided_by', text).execute();
};
