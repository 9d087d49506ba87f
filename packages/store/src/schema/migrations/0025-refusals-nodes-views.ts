/**
 * Refusals counted by hour, what each gateway node last said of itself, the organization whose owners run the machine, and views that people
 * save.
 *
 * The first organization of a store that is older than this becomes the one whose owners run it.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const refusalsNodesViews: Migration = async (transaction, engine) => {
  const { text, whole } = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer` }
    : { text: sql`text collate "C"`, whole: sql`bigint` };
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };
  await table('refusal_hour')
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('hour_ms', whole, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('code', text, (column) => column.notNull())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('window', text, (column) => column.notNull())
    .addColumn('refusals', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('refusal_hour_once', ['organization', 'hour_ms', 'key', 'code', 'scope', 'window']).execute();
  await sql`create index refusal_hour_by_hour on refusal_hour (hour_ms)`.execute(transaction);
  await table('node_report')
    .addColumn('home', text, (column) => column.primaryKey().notNull())
    .addColumn('node', text, (column) => column.notNull())
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addColumn('report', text, (column) => column.notNull()).execute();
  await table('home_organization')
    .addColumn('only', whole, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull()).execute();
  await sql`insert into home_organization ("only", organization)
    select 1, id from organization order by created_at_ms, id limit 1`.execute(transaction);
  await table('saved_view')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('person', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('query', text, (column) => column.notNull())
    .addColumn('saved_at_ms', whole, (column) => column.notNull())
    .addUniqueConstraint('saved_view_once', ['organization', 'person', 'name']).execute();
};
