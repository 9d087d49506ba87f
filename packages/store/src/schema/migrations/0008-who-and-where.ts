/**
 * Who made a change, in words beside the id; where the platform was last reached, so that a link made by the command leads there.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const whoAndWhere: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  await transaction.schema.alterTable('audit_event').addColumn('actor_name', text).execute();
  const table = transaction.schema.createTable('platform_address')
    .addColumn('only', whole, (column) => column.primaryKey().check(sql`${sql.ref('only')} = 1`))
    .addColumn('url', text, (column) => column.notNull());
  await (engine === 'sqlite' ? table.modifyEnd(sql`strict`) : table).execute();
};
