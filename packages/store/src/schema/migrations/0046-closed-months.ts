/**
 * Closed months, with the lines and names that were frozen, and whether a node said at its end that all its calls are in the store: the report of
 * one that did not is kept for longer, since a month waits for its calls.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const closedMonths: Migration = async (transaction, engine) => {
  const { text, whole, bytes } = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer`, bytes: sql`blob` }
    : { text: sql`text collate "C"`, whole: sql`bigint`, bytes: sql`bytea` };
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name)
      .addColumn('organization', text, (column) => column.notNull())
      .addColumn('month_ms', whole, (column) => column.notNull())
      .addColumn('version', whole, (column) => column.notNull());
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };
  await table('closed_month')
    .addColumn('closed_at_ms', whole, (column) => column.notNull())
    .addColumn('reopened_at_ms', whole)
    .addColumn('sequence', whole, (column) => column.notNull())
    .addColumn('hash', bytes, (column) => column.notNull())
    .addColumn('digest', bytes, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('signature', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('closed_month_once', ['organization', 'month_ms', 'version']).execute();
  await table('closed_month_part')
    .addColumn('number', whole, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('content', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('closed_month_part_once', ['organization', 'month_ms', 'version', 'number']).execute();
  await table('closed_month_name')
    .addColumn('number', whole, (column) => column.notNull())
    .addColumn('digest', text, (column) => column.notNull())
    .addColumn('salt', text)
    .addColumn('text', text)
    .addPrimaryKeyConstraint('closed_month_name_once', ['organization', 'month_ms', 'version', 'number']).execute();
  await transaction.schema.alterTable('node_report').addColumn('settled', whole, (column) => column.notNull().defaultTo(0)).execute();
};
