/**
 * Daily sums of usage, for reports that stay fast whatever the number of records.
 *
 * `usage_sum` has one row for each day and name in each dimension. A report walks one range of its key; on SQLite the table is
 * its own index. Calls that were kept before are summed here, with the very function that sums each batch from now on. No
 * reference to the organization: sums outlive it, as records do.
 */
import type { UsageRecord } from '@metergate/core/report/usage-sum.ts';
import { sql, type Transaction } from 'kysely';
import { applyUsage } from '../../usage/apply-usage.ts';
import { usageColumns, usageRecordOf } from '../../usage/usage-row.ts';
import type { Schema } from '../schema.ts';
import type { Migration } from './list.ts';

/** Records summed at a time. */
const sliceRows = 5_000;

export const usageSums: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  let sums = transaction.schema.createTable('usage_sum')
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('dimension', text, (column) => column.notNull())
    .addColumn('day_ms', whole, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('calls', whole, (column) => column.notNull())
    .addColumn('input_tokens', whole, (column) => column.notNull())
    .addColumn('output_tokens', whole, (column) => column.notNull())
    .addColumn('cost_nano', whole, (column) => column.notNull())
    .addColumn('unknown_calls', whole, (column) => column.notNull())
    .addColumn('unpriced_calls', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_sum_pk', ['organization', 'dimension', 'day_ms', 'subject']);
  if (engine === 'sqlite') sums = sums.modifyEnd(sql`strict, without rowid`);
  await sums.execute();
  await sumKeptCalls(transaction, engine);
};

async function sumKeptCalls(transaction: Transaction<Schema>, engine: 'sqlite' | 'postgres'): Promise<void> {
  for (let done = 0n; ;) {
    const rows = await transaction.selectFrom('call_record').select(['sequence', 'organization', ...usageColumns])
      .where('sequence', '>', done).orderBy('sequence').limit(sliceRows).execute();
    if (rows.length === 0) return;
    await applyUsage(engine, transaction, rows.map((row): UsageRecord => usageRecordOf(row.organization, row)));
    done = rows.at(-1)!.sequence;
  }
}
