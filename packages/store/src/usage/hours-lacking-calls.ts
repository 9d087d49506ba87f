/**
 * Hours whose sums by attribution lack calls. A gateway of the version before writes no such sums, and works beside this one while a shared store
 * is upgraded. It does write the calls of its hours into `hour_sum`.
 */
import { sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Span } from './usage-query.ts';

/** Their first instants, in order. `fromMs` and `toMs`: whole hours. */
export async function hoursLackingCalls(engine: Engine, organization: string, { fromMs, toMs }: Span): Promise<readonly number[]> {
  const [from, to] = [BigInt(fromMs), BigInt(toMs)];
  const { rows } = await engine.read((db) => sql<{ hour_ms: bigint }>`select h.hour_ms from hour_sum as h left join (
      select s.start_ms, sum(s.calls) as calls from attribution as a join attribution_sum as s on s.attribution = a.id
      where a.organization = ${organization} and s.span = 'hour' and s.start_ms >= ${from} and s.start_ms < ${to} group by s.start_ms
    ) as s on s.start_ms = h.hour_ms
    where h.organization = ${organization} and h.hour_ms >= ${from} and h.hour_ms < ${to} and h.figure = 'calls'
      and coalesce(s.calls, 0) <> h.amount order by h.hour_ms`.execute(db));
  return rows.map((row) => Number(row.hour_ms));
}
