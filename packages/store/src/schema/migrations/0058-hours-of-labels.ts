/**
 * Sums of each label's calls by hour, in the table of sums by name: reports by hour and label read them. They are filled from the records that are
 * kept.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { saturatedSum } from './saturated-sum.ts';

const counts: Readonly<Record<string, string>> = {
  calls: 'true', saved_calls: 'cache_savings_nano is not null', unknown_calls: "usage in ('unknown', 'partial') and settled_by is null",
  unpriced_calls: "cost_source = 'unpriced'", gap_calls: 'cost_gaps is not null',
};
const sums = ['input_tokens', 'cached_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens', 'cost_nano'];

export const hoursOfLabels: Migration = async (transaction, engine) => {
  const figures = [
    ...Object.values(counts).map((condition) => `cast(sum(case when ${condition} then 1 else 0 end) as bigint)`),
    ...sums.map((name) => saturatedSum(engine, name)),
    // It may be negative, and is far from any bound.
    'cast(coalesce(sum(cache_savings_nano), 0) as bigint)',
  ].join(', ');
  const names = [...Object.keys(counts), ...sums, 'cache_savings_nano'].join(', ');
  const [each, earlier] = engine === 'sqlite'
    ? ['json_each(labels) as l', 'json_each(labels) as e where e.value = l.value and e.key < l.key']
    : ['json_array_elements_text(cast(labels as json)) with ordinality as l (value, key)',
      'json_array_elements_text(cast(labels as json)) with ordinality as e (value, key) where e.value = l.value and e.key < l.key'];
  const hour = 'started_at_ms - started_at_ms % 3600000';
  const into = `insert into usage_sum (organization, dimension, day_ms, subject, ${names}) select organization, 'label/hour', ${hour}`;
  // A label that comes twice counts once.
  await sql.raw(`${into}, l.value, ${figures} from call_record cross join ${each}
    where labels is not null and not exists (select 1 from ${earlier}) group by 1, 3, 4`).execute(transaction);
  await sql.raw(`${into}, '', ${figures} from call_record where labels is null group by 1, 3`).execute(transaction);
};
