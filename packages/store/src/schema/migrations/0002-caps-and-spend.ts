/**
 * Spend caps, run policies, and the sums of spend by window.
 *
 * `spend_sum` has one row for each subject and window in which a call started: a point read or a point write by its key,
 * whatever the number of records. On SQLite the table is its own index. Calls that were kept before are summed here, with
 * the very function that sums each batch from now on. No reference to the organization: spend outlives it, as records do.
 */
import { sql, type Transaction } from 'kysely';
import { applySpend, type SpendRecord } from '../../spend/apply-spend.ts';
import type { Schema } from '../schema.ts';
import type { Migration } from './list.ts';

/** Records summed at a time. */
const sliceRows = 5_000;

export const capsAndSpend: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  await transaction.schema.alterTable('organization')
    .addColumn('enforce_key_caps', whole, (column) => column.notNull().defaultTo(0)).execute();
  for (const name of ['max_run_budget_nano', 'run_ceiling_nano', 'run_exposure_nano', 'agreed_requests', 'agreed_tokens']) {
    await transaction.schema.alterTable('organization').addColumn(name, whole).execute();
  }
  await transaction.schema.alterTable('service_key').addColumn('max_run_budget_nano', whole).execute();

  const caps = transaction.schema.createTable('cap')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull().references('organization.id'))
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull().defaultTo(''))
    .addColumn('window', text, (column) => column.notNull())
    .addColumn('limit_nano', whole, (column) => column.notNull())
    .addColumn('mode', text, (column) => column.notNull())
    .addColumn('made', whole, (column) => column.notNull())
    .addUniqueConstraint('cap_of_subject', ['organization', 'scope', 'subject', 'window']);
  await (engine === 'sqlite' ? caps.modifyEnd(sql`strict`) : caps).execute();

  const sums = transaction.schema.createTable('spend_sum')
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull().defaultTo(''))
    .addColumn('window', text, (column) => column.notNull())
    .addColumn('start_ms', whole, (column) => column.notNull())
    .addColumn('spent_nano', whole, (column) => column.notNull())
    .addColumn('calls', whole, (column) => column.notNull())
    .addColumn('unknown_calls', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('spend_sum_pk', ['organization', 'scope', 'subject', 'window', 'start_ms']);
  await (engine === 'sqlite' ? sums.modifyEnd(sql`strict, without rowid`) : sums).execute();
  await sumKeptCalls(transaction, engine);
};

async function sumKeptCalls(transaction: Transaction<Schema>, engine: 'sqlite' | 'postgres'): Promise<void> {
  for (let done = 0n; ;) {
    const rows = await transaction.selectFrom('call_record')
      .select(['sequence', 'organization', 'key', 'project', 'started_at_ms', 'cost_nano', 'usage'])
      .where('sequence', '>', done).orderBy('sequence').limit(sliceRows).execute();
    if (rows.length === 0) return;
    await applySpend(engine, transaction, rows.map((row) => ({
      organization: row.organization, key: row.key, project: row.project,
      startedAtMs: Number(row.started_at_ms), cost: row.cost_nano, usage: row.usage,
    }) as SpendRecord));
    done = rows.at(-1)!.sequence;
  }
}
