/**
 * Sums of calls that have the same several labels, by day and by month: reports of labels beside a label read them. They are rows of `word_sum`
 * whose dimension has the time in it, so that those of one day lie next to each other; the subject is the JSON text of the labels, as the record
 * has it. Calls with one label need none: they are in the sum of that label. Sets too long for a key are not summed. The dimension `labels` of
 * `usage_sum` counts the calls of a day without those, and without the calls of gateways that write no such sums: only if it equals the day are
 * the sets complete.
 */
import { dayAfter } from '@metergate/core/time/utc-day.ts';
import { sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Span } from './usage-query.ts';

/** The dimension of the sets of one day, of one month; both by their first instant. */
export const setDimension = { day: (dayMs: number): string => `sets/${dayMs}`, month: (monthMs: number): string => `set-months/${monthMs}` } as const;

/** The dimension of `usage_sum` that counts the calls whose sets are summed. */
export const countedSets = 'labels';

/** PostgreSQL refuses longer keys; the other columns need the rest. */
const setBytesMax = 1_500;

/** The text under which these labels are summed. Empty: they need no sum. Null: they are too long for one. */
export function setOf(labels: readonly string[]): string | null {
  if (labels.length < 2) return '';
  const text = JSON.stringify(labels);
  return text.length * 3 > setBytesMax && Buffer.byteLength(text) > setBytesMax ? null : text;
}

/** The first instants of the days, in order, whose sets of labels lack calls. */
export async function daysLackingSets(engine: Engine, organization: string, { fromMs, toMs }: Span): Promise<readonly number[]> {
  const { rows } = await engine.read((db) => sql<{ day_ms: bigint }>`select d.day_ms from usage_sum as d left join usage_sum as c
      on c.organization = d.organization and c.dimension = ${countedSets} and c.day_ms = d.day_ms and c.subject = ''
    where d.organization = ${organization} and d.dimension = 'day' and d.day_ms >= ${BigInt(fromMs)} and d.day_ms < ${BigInt(toMs)}
      and coalesce(c.calls, 0) <> d.calls order by d.day_ms`.execute(db));
  return rows.map((row) => Number(row.day_ms));
}

/** A period without these days. */
export function withoutDays({ fromMs, toMs }: Span, days: readonly number[]): Span[] {
  const spans: Span[] = [];
  let at = fromMs;
  for (const day of days) {
    if (at < day) spans.push({ fromMs: at, toMs: Math.min(day, toMs) });
    at = Math.max(at, dayAfter(day));
  }
  if (at < toMs) spans.push({ fromMs: at, toMs });
  return spans;
}
