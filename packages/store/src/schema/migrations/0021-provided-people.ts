/**
 * People whom an identity provider knows: a credential is found by its provider and account, which name one person, and a membership
 * says whose word it rests on.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const providedPeople: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  await transaction.schema.alterTable('membership').addColumn('provided_by', text).execute();
  await sql`create unique index person_credential_by_account on person_credential (provider, account)`.execute(transaction);
};
