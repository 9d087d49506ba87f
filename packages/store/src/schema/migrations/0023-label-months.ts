/**
 * Sums of labels by month, beside those by day, in the same table: `day_ms` is the month's first instant where the dimension is
 * `label/month`. Reports of labels with models over months and all of time read these.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { saturatedSum } from './saturated-sum.ts';

const counts = ['calls', 'saved_calls', 'unknown_calls', 'unpriced_calls', 'gap_calls'];
const sums = ['input_tokens', 'cached_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens', 'cost_nano', 'cache_savings_nano'];

export const labelMonthSums: Migration = async (transaction, engine) => {
  const month = engine === 'sqlite'
    ? `cast(strftime('%s', day_ms / 1000, 'unixepoch', 'start of month') as integer) * 1000`
    : `cast(extract(epoch from date_trunc('month', to_timestamp(day_ms / 1000), 'UTC')) as bigint) * 1000`;
  const figures = [...counts.map((name) => `cast(sum(${name}) as bigint)`), ...sums.map((name) => saturatedSum(engine, name))].join(', ');
  await sql.raw(`insert into word_sum (organization, dimension, subject, day_ms, attribution, ${[...counts, ...sums].join(', ')})
    select organization, 'label/month', subject, ${month}, attribution, ${figures} from word_sum where dimension = 'label'
    group by 1, 2, 3, 4, 5`).execute(transaction);
};
