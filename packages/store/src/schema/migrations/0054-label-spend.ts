/**
 * What is counted of corrections counts for labels as well: their rows stand beside the sums of usage. A node that is alone with its store is told
 * for which labels with caps.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const labelSpend: Migration = async (transaction, engine) => {
  await transaction.schema.alterTable('corrected_spend').addColumn('labels', engine === 'sqlite' ? sql`text` : sql`text collate "C"`).execute();
  const each = engine === 'sqlite' ? sql`json_each(r.labels)` : sql`json_array_elements_text(r.labels::json) as l (value)`;
  const label = engine === 'sqlite' ? sql`json_each.value` : sql`l.value`;
  for (const day of [sql`c.started_at_ms - c.started_at_ms % 86400000`, sql`-1`]) {
    await sql`insert into spend_day (organization, scope, subject, day_ms, spent_nano, calls, unknown_calls, unpriced_calls, gap_calls)
      select organization, 'label', label, day_ms, sum(amount), 0, 0, 0, 0 from (
        select distinct c.sequence, c.organization, ${label} as label, ${day} as day_ms, c.counted_nano as amount
        from call_correction as c join call_record as r on r.sequence = c.sequence cross join ${each}
        where c.counted_nano <> 0 and r.labels is not null
          and not exists (select 1 from erased_organization as e where e.organization = c.organization)) as counted
      group by organization, label, day_ms`.execute(transaction);
  }
};
