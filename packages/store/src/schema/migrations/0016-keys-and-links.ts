/**
 * Service keys that are disabled for a while, when each was last used, and what a rotated one was before, for as long as that still
 * works; links that set a person's password.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const keysAndLinks: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };
  await transaction.schema.alterTable('service_key').addColumn('disabled_at_ms', whole).execute();
  await transaction.schema.alterTable('service_key').addColumn('last_used_at_ms', whole).execute();
  await table('service_key_former')
    .addColumn('hash', text, (column) => column.primaryKey().notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('until_ms', whole, (column) => column.notNull()).execute();
  await sql`create index service_key_former_by_key on service_key_former (key)`.execute(transaction);
  await table('password_link')
    .addColumn('token_hash', text, (column) => column.primaryKey().notNull())
    .addColumn('person', text, (column) => column.notNull().references('person.id').onDelete('cascade'))
    .addColumn('expires_at_ms', whole, (column) => column.notNull()).execute();
  await sql`create index password_link_by_person on password_link (person)`.execute(transaction);
};
