/** Single refused calls, kept for days. Decision 159. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const refusalEntries: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  let table = transaction.schema.createTable('refusal_entry')
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('answer_id', text, (column) => column.notNull())
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('run', text, (column) => column.notNull())
    .addColumn('code', text, (column) => column.notNull())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('window', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('refusal_entry_once', ['organization', 'id']);
  if (engine === 'sqlite') table = table.modifyEnd(sql`strict`);
  await table.execute();
  await sql`create index refusal_entry_by_answer on refusal_entry (organization, answer_id)`.execute(transaction);
  await sql`create index refusal_entry_by_time on refusal_entry (organization, at_ms, id)`.execute(transaction);
  await sql`create index refusal_entry_by_key on refusal_entry (organization, key, at_ms, id)`.execute(transaction);
  await sql`create index refusal_entry_by_age on refusal_entry (at_ms)`.execute(transaction);
};
