/**
 * Records that go after an age (decision 0032): how long an organization keeps them, and how far removal has come.
 *
 * A chain of receipts that lost its beginning names the last record that is gone, signed. Sums of spend say how much of them stands for records
 * that are gone: what was spent stays spent. A run that is alive remembers which key began it. Tap events are found by their time through an
 * index, which PostgreSQL builds late (`late-indexes.ts`).
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const retention: Migration = async (transaction, engine) => {
  const { text, whole, bytes } = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer`, bytes: sql`blob` }
    : { text: sql`text collate "C"`, whole: sql`bigint`, bytes: sql`bytea` };
  await transaction.schema.alterTable('organization').addColumn('keep_records_days', whole).execute();
  for (const [name, type] of [
    ['pruned_last', whole], ['pruned_hash', bytes], ['pruned_key', text], ['pruned_at_ms', whole], ['pruned_signature', bytes],
  ] as const) await transaction.schema.alterTable('receipt_chain').addColumn(name, type).execute();
  for (const name of ['gone_nano', 'gone_calls', 'gone_unknown_calls', 'gone_gap_calls']) {
    await transaction.schema.alterTable('spend_sum').addColumn(name, whole, (column) => column.notNull().defaultTo(0)).execute();
  }
  await transaction.schema.alterTable('run').addColumn('began_by', text).execute();
  await transaction.schema.alterTable('baseline').addColumn('gone_before_ms', whole).execute();
  const table = transaction.schema.createTable('retention')
    .addColumn('organization', text, (column) => column.primaryKey().notNull())
    .addColumn('gone_before_ms', whole)
    .addColumn('receipt_through', whole, (column) => column.notNull())
    .addColumn('removed_records', whole, (column) => column.notNull())
    .addColumn('removed_events', whole, (column) => column.notNull())
    .addColumn('at_ms', whole, (column) => column.notNull());
  await (engine === 'sqlite' ? table.modifyEnd(sql`strict`) : table).execute();
  if (engine === 'sqlite') await sql`create index tap_event_by_time on tap_event (baseline, at_ms)`.execute(transaction);
};
