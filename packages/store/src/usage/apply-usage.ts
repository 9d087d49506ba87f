/**
 * Records of calls → what they add to the daily sums of usage, inside the transaction that keeps the records and their mark: so
 * reports always equal the records. Design 2 (Journal), 3 row 5a.
 * A batch is summed in memory first; rows are then written in one fixed order, so that two shippers never wait for each other
 * in a circle.
 */
import {
  addUsage, subjectsOf, usageDimensions, usageOfCall, type UsageDimension, type UsageFigures, type UsageRecord,
} from '@metergate/core/report/usage-sum.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import type { Transaction } from 'kysely';
import { insertRows, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';

/** What one row of `usage_sum` gains. */
export interface UsageAddition {
  readonly organization: string;
  readonly dimension: UsageDimension;
  /** 00:00 UTC. */
  readonly dayMs: number;
  /** Empty in the dimension `day`. */
  readonly subject: string;
  readonly figures: UsageFigures;
}

/** Adds what `records` used. To be called in the transaction that keeps them, with those alone that it keeps. */
export async function applyUsage(
  engine: Engine['kind'], transaction: Transaction<Schema>, records: readonly UsageRecord[],
): Promise<void> {
  const additions = usageAdditionsOf(records).sort(inOrder);
  for (let done = 0; done < additions.length; done += rowsAtOnce) {
    await insertRows(engine, transaction, engine === 'postgres' ? intoPostgres : intoSqlite, additions.slice(done, done + rowsAtOnce));
  }
}

/** What each sum gains by these records. In no order. */
function usageAdditionsOf(records: readonly UsageRecord[]): UsageAddition[] {
  const all: UsageAddition[] = [];
  const days = new Map<string, DayAdditions>();
  let latest: DayAdditions | null = null;
  for (const record of records) {
    const dayMs = dayOf(record.startedAtMs);
    const { organization } = record;
    if (latest === null || latest.dayMs !== dayMs || latest.organization !== organization) {
      const name: string = `${dayMs} ${organization}`;
      latest = days.get(name) ?? { organization, dayMs, known: new Map() };
      days.set(name, latest);
    }
    addCall(all, latest, record);
  }
  return all;
}

interface DayAdditions {
  readonly organization: string;
  readonly dayMs: number;
  readonly known: Map<UsageDimension, Map<string, UsageAddition>>;
}

function addCall(all: UsageAddition[], { organization, dayMs, known }: DayAdditions, record: UsageRecord): void {
  const figures = usageOfCall(record);
  for (const dimension of usageDimensions) {
    let named = known.get(dimension);
    if (named === undefined) known.set(dimension, named = new Map());
    for (const subject of dimension === 'day' ? noSubject : subjectsOf(dimension, record)) {
      const addition = named.get(subject);
      if (addition !== undefined) {
        addUsage(addition.figures, figures);
        continue;
      }
      const first = { organization, dimension, dayMs, subject, figures: { ...figures } };
      named.set(subject, first);
      all.push(first);
    }
  }
}

const noSubject = [''] as const;

function inOrder(one: UsageAddition, other: UsageAddition): number {
  for (const field of ['organization', 'dimension', 'dayMs', 'subject'] as const) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}

const rowsAtOnce = 1_000;

const summed = ['input_tokens', 'output_tokens', 'cost_nano'] as const;
const counted = ['calls', 'unknown_calls', 'unpriced_calls', 'gap_calls'] as const;

function into(least: 'min' | 'least'): BulkInsert<UsageAddition> {
  return {
    table: 'usage_sum',
    columns: [
      { name: 'organization', kind: 'text', value: (a) => a.organization },
      { name: 'dimension', kind: 'text', value: (a) => a.dimension },
      { name: 'day_ms', kind: 'whole', value: (a) => a.dayMs },
      { name: 'subject', kind: 'text', value: (a) => a.subject },
      { name: 'calls', kind: 'whole', value: ({ figures }) => figures.calls },
      { name: 'input_tokens', kind: 'whole', value: ({ figures }) => figures.inputTokens },
      { name: 'output_tokens', kind: 'whole', value: ({ figures }) => figures.outputTokens },
      { name: 'cost_nano', kind: 'whole', value: ({ figures }) => figures.cost },
      { name: 'unknown_calls', kind: 'whole', value: ({ figures }) => figures.unknownCalls },
      { name: 'unpriced_calls', kind: 'whole', value: ({ figures }) => figures.unpricedCalls },
      { name: 'gap_calls', kind: 'whole', value: ({ figures }) => figures.gapCalls },
    ],
    // Sums stop at the 64-bit bound, since one that failed there would hold up all records behind it.
    after: `on conflict (organization, dimension, day_ms, subject) do update set ${[
      ...summed.map((name) => `${name} = ${least}(usage_sum.${name}, 9223372036854775807 - excluded.${name}) + excluded.${name}`),
      ...counted.map((name) => `${name} = usage_sum.${name} + excluded.${name}`),
    ].join(', ')}`,
  };
}

const intoSqlite = into('min');
const intoPostgres = into('least');
