/**
 * Sums of calls with the same several labels, by day and month, in the table of sums by label, and sums of whole hours: reports of labels beside a
 * label, and by hour, read them. They are filled from the records that are kept.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { saturatedSum } from './saturated-sum.ts';

const counts: Readonly<Record<string, string>> = {
  calls: 'true', saved_calls: 'cache_savings_nano is not null', unknown_calls: "usage in ('unknown', 'partial')",
  unpriced_calls: "cost_source = 'unpriced'", gap_calls: 'cost_gaps is not null',
};
const sums = ['input_tokens', 'cached_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens', 'cost_nano'];

export const labelSets: Migration = async (transaction, engine) => {
  const figures = [
    ...Object.values(counts).map((condition) => `cast(sum(case when ${condition} then 1 else 0 end) as bigint)`),
    ...sums.map((name) => saturatedSum(engine, name)),
    // It may be negative, and is far from any bound.
    'cast(coalesce(sum(cache_savings_nano), 0) as bigint)',
  ].join(', ');
  const names = [...Object.keys(counts), ...sums, 'cache_savings_nano'].join(', ');
  const isSet = engine === 'sqlite' ? 'labels is not null and json_array_length(labels) > 1'
    : 'labels is not null and json_array_length(cast(labels as json)) > 1';
  const fits = engine === 'sqlite' ? 'length(cast(labels as blob)) <= 1500' : 'octet_length(labels) <= 1500';
  const day = 'started_at_ms - started_at_ms % 86400000';
  const month = engine === 'sqlite'
    ? `cast(strftime('%s', started_at_ms / 1000, 'unixepoch', 'start of month') as integer) * 1000`
    : `cast(extract(epoch from date_trunc('month', to_timestamp(started_at_ms / 1000), 'UTC')) as bigint) * 1000`;
  for (const [prefix, start] of [['sets/', day], ['set-months/', month]] as const) {
    await sql.raw(`insert into word_sum (organization, dimension, subject, day_ms, attribution, hours, ${names})
      select organization, '${prefix}' || (${start}), labels, ${start}, attribution, null, ${figures}
      from call_record where ${isSet} and ${fits} group by 1, 2, 3, 4, 5`).execute(transaction);
  }
  await sql.raw(`insert into usage_sum (organization, dimension, day_ms, subject, ${names})
    select organization, 'labels', ${day}, '', ${figures} from call_record where labels is null or not (${isSet}) or ${fits} group by 1, 3`)
    .execute(transaction);
  await sql.raw(`insert into usage_sum (organization, dimension, day_ms, subject, ${names})
    select organization, 'hour', started_at_ms - started_at_ms % 3600000, '', ${figures} from call_record group by 1, 3`).execute(transaction);
};
