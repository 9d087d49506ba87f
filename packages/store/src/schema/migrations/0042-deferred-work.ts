/**
 * Work that goes on after its answer, by the provider's id: which call began it, and which record settled it. Calls that were kept before did not
 * note such ids, so what became of their work settles none of them.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const deferredWork: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  const whole = engine === 'sqlite' ? sql`integer` : sql`bigint`;
  for (const name of ['kind', 'works', 'settles', 'settled_by']) await transaction.schema.alterTable('call_record').addColumn(name, text).execute();
  const table = transaction.schema.createTable('deferred_work')
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('wire', text, (column) => column.notNull())
    .addColumn('work', text, (column) => column.notNull())
    .addColumn('part_of', text)
    .addColumn('began_by', text)
    .addColumn('began_ms', whole, (column) => column.notNull())
    .addColumn('settled_by', text)
    .addColumn('settled_number', whole)
    .addColumn('path', text)
    .addColumn('next_look_ms', whole)
    .addColumn('looks', whole, (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('deferred_work_key', ['organization', 'wire', 'work']);
  await (engine === 'sqlite' ? table.modifyEnd(sql`strict`) : table).execute();
  await transaction.schema.createIndex('deferred_work_settled').on('deferred_work').column('settled_number').execute();
  await sql`create index deferred_work_due on deferred_work (next_look_ms) where next_look_ms is not null`.execute(transaction);
};
