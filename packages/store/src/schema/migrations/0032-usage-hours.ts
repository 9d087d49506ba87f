/**
 * Sums by attribution and hour (decision 0024): reports by hour and in other zones than UTC read them. They are filled from the records that are
 * kept. Sums by attribution and month go, since a month is a range of days.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { saturatedSum } from './saturated-sum.ts';

const counts: Readonly<Record<string, string>> = {
  calls: 'true', saved_calls: 'cache_savings_nano is not null', unknown_calls: "usage in ('unknown', 'partial')",
  unpriced_calls: "cost_source = 'unpriced'", gap_calls: 'cost_gaps is not null',
};
const sums = ['input_tokens', 'cached_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens', 'cost_nano'];

export const usageHours: Migration = async (transaction, engine) => {
  await sql`delete from attribution_sum where span = 'month'`.execute(transaction);
  const figures = [
    ...Object.values(counts).map((condition) => `cast(sum(case when ${condition} then 1 else 0 end) as bigint)`),
    ...sums.map((name) => saturatedSum(engine, name)),
    // It may be negative, and is far from any bound.
    'cast(coalesce(sum(cache_savings_nano), 0) as bigint)',
  ];
  const names = [...Object.keys(counts), ...sums, 'cache_savings_nano'];
  await sql.raw(`insert into attribution_sum (attribution, span, start_ms, ${names.join(', ')})
    select attribution, 'hour', started_at_ms - started_at_ms % 3600000, ${figures.join(', ')}
    from call_record group by 1, 2, 3`).execute(transaction);
};
