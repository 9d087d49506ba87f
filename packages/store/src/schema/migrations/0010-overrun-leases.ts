/**
 * What a node has spent of a lease and not shipped yet, as it said when it last asked, and what its calls under way may add to that:
 * both are kept from all other nodes, also while the node is silent.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const overrunLeases: Migration = async (transaction, engine) => {
  const whole = engine === 'sqlite' ? sql`integer` : sql`bigint`;
  for (const name of ['settled_nano', 'under_way_nano', 'doubtful_at_ms']) {
    await transaction.schema.alterTable('spend_lease').addColumn(name, whole, (column) => column.notNull().defaultTo(0)).execute();
  }
};
