/** What members may do about keys of their own, and the sign-ins by which a machine gets one. Decisions 195 and 196. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const ownKeys: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  await transaction.schema.alterTable('organization').addColumn('own_keys', text).execute();
  let table = transaction.schema.createTable('machine_sign_in')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('challenge', text, (column) => column.notNull())
    .addColumn('machine', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('user_code', text, (column) => column.unique())
    .addColumn('port', whole)
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('expires_at_ms', whole, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('organization', text)
    .addColumn('person', text)
    .addColumn('code_hash', text);
  if (engine === 'sqlite') table = table.modifyEnd(sql`strict`);
  await table.execute();
  await sql`create index machine_sign_in_by_end on machine_sign_in (expires_at_ms)`.execute(transaction);
};
