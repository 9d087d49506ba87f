/**
 * Whole hours from the sums by attribution. A gateway of the version before writes no such sums, and works beside this one while a shared store is
 * upgraded. It does write the calls of its hours into `hour_sum`, so the hours that lack calls are known.
 */
import { hourMs } from '@metergate/core/report/hour-sum.ts';
import { sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { UsagePart } from './usage-part.ts';
import type { UsageParts } from './usage-parts.ts';
import { namedHours } from './usage-additions.ts';
import { shapeOf, type Span, type UsageQuery } from './usage-query.ts';

/** The parts of these hours, and `edges`: what of them must be read from the records. */
export async function hourParts(
  engine: Engine, parts: UsageParts, query: UsageQuery, hours: readonly Span[],
): Promise<{ readonly found: readonly UsagePart[]; readonly edges: readonly Span[] }> {
  const { attributions, words } = shapeOf(query);
  const plain = attributions.length === 0 && words.length === 0;
  const found: UsagePart[] = [];
  if (words.length > 0) {
    // Every writer that the store accepts writes these.
    for (const span of hours) found.push(...await parts.labelHours(query, span));
    return { found, edges: [] };
  }
  const edges: Span[] = [];
  for (const span of hours) {
    const unnamed = await hoursLackingNamed(engine, query.organization, span);
    const lacking = unnamed.length === 0 ? [] : await hoursLackingCalls(engine, query.organization, unnamed);
    edges.push(...lacking.map(hourFrom));
    if (plain) {
      for (const part of withoutHours(span, unnamed)) found.push(...await parts.namedHours(query, part));
      const attributed = unnamed.filter((hour) => !lacking.includes(hour));
      for (const hour of attributed) found.push(...await parts.attributed(query, 'hour', hourFrom(hour)));
    } else {
      for (const part of withoutHours(span, lacking)) found.push(...await parts.attributed(query, 'hour', part));
    }
  }
  return { found, edges };
}

function hourFrom(ms: number): Span {
  return { fromMs: ms, toMs: ms + hourMs };
}

/** A period without these of its hours, which are in order. */
function withoutHours({ fromMs, toMs }: Span, hours: readonly number[]): Span[] {
  const ends = [...hours, toMs];
  const spans = ends.map((end, index) => ({ fromMs: index === 0 ? fromMs : ends[index - 1]! + hourMs, toMs: end }));
  return spans.filter((span) => span.fromMs < span.toMs);
}

/** The hours, in order, whose own sum lacks calls: a gateway of the version before writes none. The others lack nothing. */
async function hoursLackingNamed(engine: Engine, organization: string, { fromMs, toMs }: Span): Promise<readonly number[]> {
  const { rows } = await engine.read((db) => sql<{ hour_ms: bigint }>`select h.hour_ms from hour_sum as h left join usage_sum as s
      on s.organization = h.organization and s.dimension = ${namedHours} and s.day_ms = h.hour_ms and s.subject = ''
    where h.organization = ${organization} and h.hour_ms >= ${BigInt(fromMs)} and h.hour_ms < ${BigInt(toMs)} and h.figure = 'calls'
      and coalesce(s.calls, 0) <> h.amount order by h.hour_ms`.execute(db));
  return rows.map((row) => Number(row.hour_ms));
}

/** Of these hours, in order, those whose sums by attribution lack calls. */
async function hoursLackingCalls(engine: Engine, organization: string, hours: readonly number[]): Promise<readonly number[]> {
  const [from, to] = [BigInt(hours[0]!), BigInt(hours.at(-1)! + hourMs)];
  const { rows } = await engine.read((db) => sql<{ hour_ms: bigint }>`select h.hour_ms from hour_sum as h left join (
      select s.start_ms, sum(s.calls) as calls from attribution as a join attribution_sum as s on s.attribution = a.id
      where a.organization = ${organization} and s.span = 'hour' and s.start_ms >= ${from} and s.start_ms < ${to} group by s.start_ms
    ) as s on s.start_ms = h.hour_ms
    where h.organization = ${organization} and h.hour_ms >= ${from} and h.hour_ms < ${to} and h.figure = 'calls'
      and coalesce(s.calls, 0) <> h.amount order by h.hour_ms`.execute(db));
  return rows.map((row) => Number(row.hour_ms));
}
