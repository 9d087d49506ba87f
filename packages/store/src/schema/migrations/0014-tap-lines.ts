/**
 * Which models and tags of a Baseline have a line of their own: those that are there are taken over, whatever their number.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const tapLines: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };
  await table('tap_line')
    .addColumn('baseline', whole, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('tap_line_pk', ['baseline', 'kind', 'name']).execute();
  await sql`insert into tap_line (baseline, kind, name) select distinct baseline, 'tag', tag from tap_cell`.execute(transaction);
  await sql`insert into tap_line (baseline, kind, name) select distinct baseline, 'model', provider || ':' || model from tap_cell`
    .execute(transaction);
};
