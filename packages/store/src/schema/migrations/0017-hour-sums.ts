/**
 * What calls of one hour came to, for the overview. `hour_sum` has one row for each hour and figure. Calls that were kept before are
 * summed here, by SQL of this file only; how long they took is not: percentiles begin with this schema.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { saturatedSum } from './saturated-sum.ts';

export const hourSums: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? ['text', 'integer'] : ['text collate "C"', 'bigint'];
  await sql.raw(`create table hour_sum (organization ${text} not null, hour_ms ${whole} not null, figure ${text} not null,
    amount ${whole} not null, primary key (organization, hour_ms, figure)
  ) ${engine === 'sqlite' ? 'strict, without rowid' : ''}`).execute(transaction);
  const count = (condition: string): string => `sum(case when ${condition} then 1 else 0 end)`;
  const amounts: Readonly<Record<string, string>> = {
    calls: 'count(*)', cost: saturatedSum(engine, 'cost_nano'), input: saturatedSum(engine, 'input_tokens'),
    cached: saturatedSum(engine, 'cached_tokens'),
    written: saturatedSum(engine, 'cache_write_tokens'), output: saturatedSum(engine, 'output_tokens'),
    reasoning: saturatedSum(engine, 'reasoning_tokens'),
    unknown: count("usage in ('unknown', 'partial')"), unpriced: count("cost_source = 'unpriced'"),
    gaps: count("cost_gaps is not null and cost_gaps not in ('', '[]')"),
    errors: count("outcome in ('failed', 'cut') or status >= 500"), throttled: count('status = 429'),
  };
  for (const [figure, amount] of Object.entries(amounts)) {
    await sql.raw(`insert into hour_sum (organization, hour_ms, figure, amount)
      select organization, hour_ms, '${figure}', amount from (
        select organization, started_at_ms - started_at_ms % 3600000 as hour_ms, ${amount} as amount from call_record group by 1, 2
      ) as summed where amount > 0`).execute(transaction);
  }
};
