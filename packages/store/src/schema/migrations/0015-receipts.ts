/**
 * Receipts: each organization's chain of call records, its signed checkpoints, the keys that sign them.
 *
 * A record carries its own place in the chain, so that keeping it is one row as before. The chain begins with the first record kept
 * from now on: what was kept before could only be attested as it stands today, not as it was measured (decision 0030).
 * No reference to the organization: a chain outlives it, as its records do.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const receiptTables: Migration = async (transaction, engine) => {
  const { text, whole, bytes } = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer`, bytes: sql`blob` }
    : { text: sql`text collate "C"`, whole: sql`bigint`, bytes: sql`bytea` };
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };
  for (const [name, type] of [['receipt_sequence', whole], ['receipt_hash', bytes], ['receipt_words', bytes]] as const) {
    await transaction.schema.alterTable('call_record').addColumn(name, type).execute();
  }
  await sql`create index call_record_by_receipt on call_record (organization, receipt_sequence) where receipt_sequence is not null`
    .execute(transaction);

  await table('receipt_chain')
    .addColumn('organization', text, (column) => column.primaryKey().notNull())
    .addColumn('sequence', whole, (column) => column.notNull())
    .addColumn('hash', bytes, (column) => column.notNull())
    .addColumn('secret_sealed', bytes)
    .addColumn('key', text)
    .addColumn('signed_last', whole)
    .addColumn('signed_hash', bytes)
    .addColumn('signed_key', text)
    .addColumn('signed_at_ms', whole)
    .addColumn('signature', bytes).execute();

  await table('receipt_checkpoint')
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('last', whole, (column) => column.notNull())
    .addColumn('hash', bytes, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addColumn('signature', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('receipt_checkpoint_pk', ['organization', 'kind', 'last']).execute();

  await table('receipt_key')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('number', whole, (column) => column.notNull())
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('sealed', bytes)
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addColumn('signed_by_previous', text)
    .addColumn('signed_by_itself', text)
    .addUniqueConstraint('receipt_key_in_order', ['organization', 'number']).execute();
};
