/**
 * Daily sums of usage, for reports that stay fast whatever the number of records.
 *
 * `usage_sum` has one row for each day and name in each dimension. A report walks one range of its key; on SQLite the table is
 * its own index. Calls that were kept before are summed here, by SQL of this file only: a migration never runs code that
 * may change later. No reference to the organization: sums outlive it, as records do.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { saturatedSum } from './saturated-sum.ts';

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
  const calls = `call_record as r`;
  // A call counts once under each of its labels, and under none where it has none.
  const labelled = engine === 'sqlite'
    ? `(select distinct r.*, coalesce(l.value, '') as label from call_record as r left join json_each(r.labels) as l) as r`
    : `(select r.*, l.label from call_record as r cross join lateral
        (select distinct label from json_array_elements_text(cast(coalesce(nullif(r.labels, '[]'), '[""]') as json)) as each (label)) as l) as r`;
  const from: Readonly<Record<string, readonly [subject: string, rows: string]>> = {
    day: [`''`, calls], model: ['model', calls], key: ['key', calls], project: ['project', calls], run: ['run', calls], label: ['label', labelled],
  };
  for (const [dimension, [subject, rows]] of Object.entries(from)) {
    const sum = (column: string) => sql.raw(saturatedSum(engine, column));
    await sql`insert into usage_sum
        (organization, dimension, day_ms, subject, calls, input_tokens, output_tokens, cost_nano, unknown_calls, unpriced_calls)
      select organization, ${sql.lit(dimension)}, started_at_ms - started_at_ms % 86400000, substr(coalesce(${sql.raw(subject)}, ''), 1, 512),
        count(*), ${sum('input_tokens')}, ${sum('output_tokens')}, ${sum('cost_nano')},
        sum(case when usage in ('unknown', 'partial') then 1 else 0 end), sum(case when cost_source = 'unpriced' then 1 else 0 end)
      from ${sql.raw(rows)} group by 1, 2, 3, 4`.execute(transaction);
  }
};
