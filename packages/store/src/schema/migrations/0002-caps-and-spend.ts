/**
 * Spend caps, run policies, and the sums of spend by window.
 *
 * `spend_sum` has one row for each subject and window in which a call started: a point read or a point write by its key,
 * whatever the number of records. On SQLite the table is its own index. Calls that were kept before are summed here, by
 * SQL of this file only: a migration never runs code that may change later. No reference to the organization: spend outlives it,
 * as records do.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { saturatedSum } from './saturated-sum.ts';

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
  for (const start of windowStarts(engine)) {
    for (const { scope, subject, where } of scopes) {
      await sql`insert into spend_sum (organization, scope, subject, "window", start_ms, spent_nano, calls, unknown_calls)
        select organization, ${sql.lit(scope)}, ${sql.raw(subject)}, ${sql.lit(start.window)}, ${sql.raw(start.sql)},
          ${sql.raw(saturatedSum(engine, 'cost_nano'))}, count(*), sum(case when usage in ('unknown', 'partial') then 1 else 0 end)
        from call_record ${sql.raw(where)} group by 1, 2, 3, 4, 5`.execute(transaction);
    }
  }
};

const scopes = [
  { scope: 'organization', subject: `''`, where: '' },
  { scope: 'key', subject: 'key', where: '' },
  { scope: 'project', subject: 'project', where: 'where project is not null' },
] as const;

/** When each window began that holds `started_at_ms`, in UTC; weeks begin on Monday. 1970-01-01 was a Thursday. */
function windowStarts(engine: 'sqlite' | 'postgres'): readonly { readonly window: string; readonly sql: string }[] {
  const calendar = (unit: 'month' | 'year'): string => engine === 'sqlite'
    ? `cast(strftime('%s', started_at_ms / 1000, 'unixepoch', 'start of ${unit}') as integer) * 1000`
    : `cast(extract(epoch from date_trunc('${unit}', to_timestamp(started_at_ms / 1000) at time zone 'UTC')) * 1000 as bigint)`;
  return [
    { window: 'day', sql: 'started_at_ms - started_at_ms % 86400000' },
    { window: 'week', sql: 'started_at_ms - (started_at_ms + 259200000) % 604800000' },
    { window: 'month', sql: calendar('month') },
    { window: 'year', sql: calendar('year') },
    { window: 'lifetime', sql: 'cast(0 as bigint)' },
  ];
}
