/**
 * Whole hours from the sums by attribution. A gateway of the version before writes no such sums, and works beside this one while a shared store is
 * upgraded. It does write the calls of its hours into `hour_sum`, so the hours that lack calls are known.
 */
import { hourMs } from '@metergate/core/report/hour-sum.ts';
import { sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { UsagePart, UsageParts } from './usage-parts.ts';
import type { Span, UsageQuery } from './usage-query.ts';

/** The parts of these hours, and `edges`: what of them must be read from the records. */
export async function hourParts(
  engine: Engine, parts: UsageParts, query: UsageQuery, hours: readonly Span[],
): Promise<{ readonly found: readonly UsagePart[]; readonly edges: readonly Span[] }> {
  const found: UsagePart[] = [];
  const edges: Span[] = [];
  for (const { fromMs, toMs } of hours) {
    const lacking = await hoursLackingCalls(engine, query.organization, { fromMs, toMs });
    edges.push(...lacking.map((ms) => ({ fromMs: ms, toMs: ms + hourMs })));
    const ends = [...lacking, toMs];
    for (const [index, end] of ends.entries()) {
      const span = { fromMs: index === 0 ? fromMs : ends[index - 1]! + hourMs, toMs: end };
      if (span.fromMs < span.toMs) found.push(...await parts.attributed(query, 'hour', span));
    }
  }
  return { found, edges };
}

/** Their first instants, in order. */
async function hoursLackingCalls(engine: Engine, organization: string, { fromMs, toMs }: Span): Promise<readonly number[]> {
  const [from, to] = [BigInt(fromMs), BigInt(toMs)];
  const { rows } = await engine.read((db) => sql<{ hour_ms: bigint }>`select h.hour_ms from hour_sum as h left join (
      select s.start_ms, sum(s.calls) as calls from attribution as a join attribution_sum as s on s.attribution = a.id
      where a.organization = ${organization} and s.span = 'hour' and s.start_ms >= ${from} and s.start_ms < ${to} group by s.start_ms
    ) as s on s.start_ms = h.hour_ms
    where h.organization = ${organization} and h.hour_ms >= ${from} and h.hour_ms < ${to} and h.figure = 'calls'
      and coalesce(s.calls, 0) <> h.amount order by h.hour_ms`.execute(db));
  return rows.map((row) => Number(row.hour_ms));
}
