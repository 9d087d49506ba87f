/**
 * What the calls of a time used, by one dimension: whole days from their sums, the parts of days at the edges from the records.
 * Design 5, `usage`. Parts of days are read in slices, so that no report holds up what else runs on its thread.
 */
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import {
  addUsage, noUsage, subjectsOf, usageOfCall, type UsageDimension, type UsageFigures,
} from '@metergate/core/report/usage-sum.ts';
import { dayAfter, dayOf } from '@metergate/core/time/utc-day.ts';
import { sql } from 'kysely';
import { usageColumns, usageRecordOf } from './usage-row.ts';
import type { StoreContext } from '../context.ts';

export interface UsageQuery {
  readonly organization: OrganizationId;
  readonly by: UsageDimension;
  /** Calls that started from this moment on. */
  readonly sinceMs?: number;
  /** Up to this moment, itself excluded. */
  readonly untilMs?: number;
  /** At most so many rows. */
  readonly rowsMax: number;
}

/** `subject`: empty for calls that have none; in the dimension `day` its 00:00 UTC in milliseconds, as text. */
export interface UsageRow {
  readonly subject: string;
  readonly figures: UsageFigures;
}

export interface UsageReports {
  /** In no order; null where there are more rows than `rowsMax`. */
  usage(query: UsageQuery): Promise<readonly UsageRow[] | null>;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

type Rows = Map<string, UsageFigures>;

/** Records of one slice: a few milliseconds of the engine's time. */
const recordsAtOnce = 1_000;
const firstMs = -8_640_000_000_000_000;
const lastMs = 8_640_000_000_000_000;

export function usageReportsIn({ engine }: StoreContext): UsageReports {
  async function addDays(rows: Rows, { organization, by, rowsMax }: UsageQuery, { fromMs, toMs }: Span): Promise<boolean> {
    const subject = by === 'day' ? sql`cast(day_ms as text)` : sql`subject`;
    const { rows: found } = await engine.read((db) => sql<SumRow>`
      select ${subject} as subject, ${whole('calls')}, ${whole('unknown_calls')}, ${whole('unpriced_calls')}, ${whole('gap_calls')},
        ${halves('input_tokens')}, ${halves('output_tokens')}, ${halves('cost_nano')}
      from usage_sum where organization = ${organization} and dimension = ${by} and day_ms >= ${BigInt(fromMs)} and day_ms < ${BigInt(toMs)}
      group by 1 limit ${rowsMax + 1}`.execute(db));
    for (const row of found) addTo(rows, row.subject, figuresOf(row));
    return rows.size <= rowsMax;
  }

  async function addRecords(rows: Rows, { organization, by, rowsMax }: UsageQuery, { fromMs, toMs }: Span): Promise<boolean> {
    for (let after = { startedAtMs: BigInt(fromMs), sequence: -1n }; ;) {
      const slice = await engine.read((db) => db.selectFrom('call_record').select(['sequence', ...usageColumns])
        .where('organization', '=', organization).where('started_at_ms', '<', BigInt(toMs))
        .where(sql<boolean>`(started_at_ms, sequence) > (${after.startedAtMs}, ${after.sequence})`)
        .orderBy('started_at_ms').orderBy('sequence').limit(recordsAtOnce).execute());
      for (const row of slice) {
        const record = usageRecordOf(organization, row);
        const subjects = by === 'day' ? [String(dayOf(record.startedAtMs))] : subjectsOf(by, record);
        for (const subject of subjects) addTo(rows, subject, usageOfCall(record));
      }
      const last = slice.at(-1);
      if (rows.size > rowsMax) return false;
      if (last === undefined || slice.length < recordsAtOnce) return true;
      after = { startedAtMs: last.started_at_ms, sequence: last.sequence };
      await othersFirst();
    }
  }

  return {
    async usage(query) {
      const rows: Rows = new Map();
      const { whole: days, parts } = spansOf({
        fromMs: Math.max(firstMs, Math.ceil(query.sinceMs ?? firstMs)), toMs: Math.min(lastMs, Math.ceil(query.untilMs ?? lastMs)),
      });
      if (days !== null && !await addDays(rows, query, days)) return null;
      for (const part of parts) if (!await addRecords(rows, query, part)) return null;
      return [...rows].map(([subject, figures]) => ({ subject, figures }));
    },
  };
}

/** The whole days of a time, and what is left of it before and after them. */
function spansOf({ fromMs, toMs }: Span): { readonly whole: Span | null; readonly parts: readonly Span[] } {
  if (fromMs >= toMs) return { whole: null, parts: [] };
  const firstDay = dayOf(fromMs) === fromMs ? fromMs : dayAfter(dayOf(fromMs));
  const lastDay = dayOf(toMs);
  if (firstDay >= lastDay) return { whole: null, parts: [{ fromMs, toMs }] };
  const parts = [{ fromMs, toMs: firstDay }, { fromMs: lastDay, toMs }].filter((part) => part.fromMs < part.toMs);
  return { whole: { fromMs: firstDay, toMs: lastDay }, parts };
}

const halfBits = 32n;

/** Both halves of the figures are summed apart: an engine fails where a sum passes 64 bits. */
function halves(name: 'input_tokens' | 'output_tokens' | 'cost_nano') {
  const column = sql.ref(name);
  return sql`cast(sum(${column} >> 32) as bigint) as ${sql.ref(`${name}_high`)},
    cast(sum(${column} & 4294967295) as bigint) as ${sql.ref(`${name}_low`)}`;
}

function whole(name: 'calls' | 'unknown_calls' | 'unpriced_calls' | 'gap_calls') {
  return sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`;
}

type Halves<Name extends string> = { readonly [N in `${Name}_${'high' | 'low'}`]: bigint };
type SumRow = Halves<'input_tokens' | 'output_tokens' | 'cost_nano'>
  & {
    readonly subject: string; readonly calls: bigint; readonly unknown_calls: bigint; readonly unpriced_calls: bigint; readonly gap_calls: bigint;
  };

function figuresOf(row: SumRow): UsageFigures {
  return {
    calls: Number(row.calls),
    inputTokens: (row.input_tokens_high << halfBits) + row.input_tokens_low,
    outputTokens: (row.output_tokens_high << halfBits) + row.output_tokens_low,
    cost: nanoDollars((row.cost_nano_high << halfBits) + row.cost_nano_low),
    unknownCalls: Number(row.unknown_calls),
    unpricedCalls: Number(row.unpriced_calls),
    gapCalls: Number(row.gap_calls),
  };
}

/** Saturating, also what an engine summed. */
function addTo(rows: Rows, subject: string, figures: UsageFigures): void {
  const known = rows.get(subject) ?? noUsage();
  addUsage(known, figures);
  rows.set(subject, known);
}
