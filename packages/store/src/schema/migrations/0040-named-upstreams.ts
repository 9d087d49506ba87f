/** Destinations that organizations declare by name, beside the one without. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const namedUpstreams: Migration = async (transaction, engine) => {
  const { text, whole, bytes } = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer`, bytes: sql`blob` }
    : { text: sql`text collate "C"`, whole: sql`bigint`, bytes: sql`bytea` };
  const builder = transaction.schema.createTable('named_upstream')
    .addColumn('organization', text, (column) => column.notNull().references('organization.id'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('enabled', whole, (column) => column.notNull())
    .addColumn('sealed', bytes)
    .addColumn('version', whole, (column) => column.notNull())
    .addColumn('auth', text, (column) => column.notNull())
    .addColumn('dialect', text)
    .addColumn('provider', text)
    .addPrimaryKeyConstraint('named_upstream_pk', ['organization', 'name']);
  await (engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder).execute();
};
