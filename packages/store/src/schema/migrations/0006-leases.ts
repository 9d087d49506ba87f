/**
 * Gateway nodes on a shared store, what each may spend of a capped sum or a run, and a feed of what all should confirm.
 *
 * `spend_lease` has a row for each node and subject in which calls of the node ended or a lease was asked for. Its totals grow
 * from the node's beginning: `shipped_nano` with the records, in their transaction, `granted_nano` with each grant. What is
 * leased is what `granted_nano` has above `shipped_nano`. On the embedded store these tables stay empty: its node is the authority.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const leases: Migration = async (transaction, engine) => {
  const { text, whole } = engine === 'sqlite' ? { text: sql`text`, whole: sql`integer` } : { text: sql`text collate "C"`, whole: sql`bigint` };
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };

  await table('gateway_node')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('home', text, (column) => column.notNull())
    .addColumn('started_at_ms', whole, (column) => column.notNull())
    .addColumn('heard_at_ms', whole, (column) => column.notNull())
    .addColumn('freed', whole, (column) => column.notNull()).execute();

  await table('spend_lease')
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('window', text, (column) => column.notNull())
    .addColumn('start_ms', whole, (column) => column.notNull())
    .addColumn('node', text, (column) => column.notNull())
    .addColumn('granted_nano', whole, (column) => column.notNull())
    .addColumn('shipped_nano', whole, (column) => column.notNull())
    .addColumn('limit_nano', whole)
    .addColumn('claim', whole, (column) => column.notNull())
    .addColumn('short_at_ms', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('spend_lease_pk', ['organization', 'scope', 'subject', 'window', 'start_ms', 'node']).execute();
  await sql`create index spend_lease_by_node on spend_lease (node)`.execute(transaction);

  await table('lease_feed')
    .addColumn('only', whole, (column) => column.primaryKey().check(sql`${sql.ref('only')} = 1`))
    .addColumn('value', whole, (column) => column.notNull()).execute();
  await transaction.insertInto('lease_feed').values({ only: 1, value: 0 }).execute();
};
