/**
 * Thresholds of caps, what was sent of each cap, webhooks with their deliveries, and leases of work that one platform at a time does.
 *
 * `notice` is what was raised, once for each `dedupe`; `webhook_delivery` is its way to one webhook. Both are kept for thirty days.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const alertsAndWebhooks: Migration = async (transaction, engine) => {
  const { text, whole, bytes } = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer`, bytes: sql`blob` }
    : { text: sql`text collate "C"`, whole: sql`bigint`, bytes: sql`bytea` };
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };
  await table('cap_alert')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('cap', text, (column) => column.notNull().unique())
    .addColumn('at', text, (column) => column.notNull()).execute();
  await table('cap_told')
    .addColumn('cap', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('window_start_ms', whole, (column) => column.notNull())
    .addColumn('reached', whole, (column) => column.notNull())
    .addColumn('thresholds', text, (column) => column.notNull()).execute();
  await table('webhook')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('events', text)
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addColumn('created_at_ms', whole, (column) => column.notNull()).execute();
  await sql`create index webhook_by_organization on webhook (organization, created_at_ms, id)`.execute(transaction);
  await table('notice')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('dedupe', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addUniqueConstraint('notice_once', ['organization', 'dedupe']).execute();
  await sql`create index notice_by_time on notice (at_ms)`.execute(transaction);
  await table('webhook_delivery')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('webhook', text, (column) => column.notNull())
    .addColumn('notice', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('attempts', whole, (column) => column.notNull())
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('next_at_ms', whole)
    .addColumn('last_at_ms', whole)
    .addColumn('last_status', whole)
    .addColumn('last_error', text).execute();
  await sql`create index webhook_delivery_by_webhook on webhook_delivery (webhook, created_at_ms, id)`.execute(transaction);
  await sql`create index webhook_delivery_due on webhook_delivery (next_at_ms) where next_at_ms is not null`.execute(transaction);
  await table('work_lease')
    .addColumn('name', text, (column) => column.primaryKey().notNull())
    .addColumn('holder', text, (column) => column.notNull())
    .addColumn('until_ms', whole, (column) => column.notNull())
    .addColumn('cursor', whole, (column) => column.notNull()).execute();
};
