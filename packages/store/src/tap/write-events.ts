/**
 * Tap events and what they add to the sums → rows. Called inside the transaction that has locked the Baseline.
 */
import type { TapEvent } from '@metergate/core/tap/event.ts';
import { latencyCountsTogether, latencyCountsFrom, latencyCountsText } from '@metergate/core/tap/latency-bucket.ts';
import { linedUp, type TapLine } from '@metergate/core/tap/lines.ts';
import { tapFigures, type TapCell, type TapHeadroom, type TapLatency, type TapRollup } from '@metergate/core/tap/rollup.ts';
import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import { insertRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';

/** A row with the number of the Baseline that it belongs to. */
type Of<Row> = Row & { readonly baseline: bigint };
type Column<Row> = BulkColumn<Of<Row>>;

const text = <Row>(name: string, value: (row: Of<Row>) => string): Column<Row> => ({ name, kind: 'text', value });
const whole = <Row>(name: string, value: (row: Of<Row>) => number | bigint | null): Column<Row> => ({ name, kind: 'whole', value });

const eventInsert: BulkInsert<Of<TapEvent>> = {
  table: 'tap_event',
  columns: [
    whole('baseline', (e) => e.baseline), text('request_id', (e) => e.requestId), whole('at_ms', (e) => e.timestampMs),
    text('provider', (e) => e.provider), text('model', (e) => e.model), text('tag', (e) => e.tag),
    whole('input_tokens', (e) => e.inputTokens), whole('output_tokens', (e) => e.outputTokens), whole('cached_tokens', (e) => e.cachedTokens),
    text('stop_reason', (e) => e.stopReason), whole('tool_calls', (e) => e.toolCalls), whole('status', (e) => e.status),
    whole('retries', (e) => e.retries), whole('latency_ms', (e) => e.latencyMs),
    whole('requests_limit', (e) => e.rateLimit?.requestsLimit ?? null), whole('requests_remaining', (e) => e.rateLimit?.requestsRemaining ?? null),
    whole('tokens_limit', (e) => e.rateLimit?.tokensLimit ?? null), whole('tokens_remaining', (e) => e.rateLimit?.tokensRemaining ?? null),
  ],
  after: 'on conflict (baseline, request_id) do nothing returning request_id',
};

const cellInsert: BulkInsert<Of<TapCell>> = {
  table: 'tap_cell',
  columns: [
    whole('baseline', (c) => c.baseline), whole('day_ms', (c) => c.dayMs), text('provider', (c) => c.provider), text('model', (c) => c.model),
    text('tag', (c) => c.tag), whole('band', (c) => c.band), ...tapFigures.map((name, index) => whole<TapCell>(name, (c) => c.sums[index]!)),
  ],
  after: `on conflict (baseline, day_ms, provider, model, tag, band) do update set ${
    tapFigures.map((name) => `"${name}" = tap_cell."${name}" + excluded."${name}"`).join(', ')}`,
};

const latencyInsert: BulkInsert<Of<TapLatency>> = {
  table: 'tap_latency',
  columns: [
    whole('baseline', (l) => l.baseline), text('part', (l) => l.part), text('counts', (l) => latencyCountsText(l.counts)),
  ],
  after: 'on conflict (baseline, part) do update set counts = excluded.counts',
};

const lineInsert: BulkInsert<Of<TapLine>> = {
  table: 'tap_line',
  columns: [whole('baseline', (l) => l.baseline), text('kind', (l) => l.kind), text('name', (l) => l.name)],
  after: 'on conflict do nothing',
};

/** The smaller share wins, as `isTighter` has it; both products stay below 2^63, since every figure is at most 10^9. */
const headroomInsert: BulkInsert<Of<TapHeadroom>> = {
  table: 'tap_headroom',
  columns: [
    whole('baseline', (h) => h.baseline), text('provider', (h) => h.provider), text('model', (h) => h.model), text('kind', (h) => h.kind),
    whole('most', (h) => h.limit), whole('remaining', (h) => h.remaining), whole('at_ms', (h) => h.atMs),
  ],
  after: 'on conflict (baseline, provider, model, kind) do update set most = excluded.most, remaining = excluded.remaining, '
    + 'at_ms = excluded.at_ms where excluded.remaining * tap_headroom.most < tap_headroom.remaining * excluded.most',
};

export interface TapWriting {
  readonly engine: Engine['kind'];
  readonly transaction: Transaction<Schema>;
  readonly baseline: bigint;
}

/** Stores the events that are new to the Baseline, and returns them. Pass each `requestId` once. */
export async function insertNewEvents({ engine, transaction, baseline }: TapWriting, events: readonly TapEvent[]): Promise<TapEvent[]> {
  const byId = new Map(events.map((event) => [event.requestId, event]));
  const rows = events.map((event) => ({ ...event, baseline }));
  const kept = await insertRows<Of<TapEvent>, { request_id: string }>(engine, transaction, eventInsert, rows);
  return kept.map((row) => byId.get(row.request_id)!);
}

/** The events that the Baseline does not have. */
export async function newEvents({ engine, transaction, baseline }: TapWriting, events: readonly TapEvent[]): Promise<TapEvent[]> {
  const { rows } = await sql<{ request_id: string }>`
    select request_id from tap_event where baseline = ${baseline} and request_id ${amongTexts(engine, events.map(({ requestId }) => requestId))}`
    .execute(transaction);
  const known = new Set(rows.map((row) => row.request_id));
  return events.filter(({ requestId }) => !known.has(requestId));
}

/** The events under the names that they are summed by; new names get their line. */
export async function withLines({ engine, transaction, baseline }: TapWriting, events: readonly TapEvent[]): Promise<TapEvent[]> {
  if (events.length === 0) return [];
  const known = await transaction.selectFrom('tap_line').select(['kind', 'name']).where('baseline', '=', baseline).execute();
  const { events: summed, fresh } = linedUp(known as TapLine[], events);
  await insertRows(engine, transaction, lineInsert, fresh.map((line) => ({ ...line, baseline })));
  return summed;
}

export async function addRollup({ engine, transaction, baseline }: TapWriting, { cells, latencies, headroom }: TapRollup): Promise<void> {
  const owned = <Row>(rows: readonly Row[]): Of<Row>[] => rows.map((row) => ({ ...row, baseline }));
  await insertRows(engine, transaction, cellInsert, owned(cells));
  await insertRows(engine, transaction, latencyInsert, owned(await addedLatencies({ engine, transaction, baseline }, latencies)));
  await insertRows(engine, transaction, headroomInsert, owned(headroom));
}

/** The stored latencies plus the new ones. Nobody else writes meanwhile, since the Baseline's row is locked. */
async function addedLatencies({ engine, transaction, baseline }: TapWriting, latencies: readonly TapLatency[]): Promise<TapLatency[]> {
  if (latencies.length === 0) return [];
  const parts = latencies.map(({ part }) => part);
  const { rows } = await sql<{ part: string; counts: string }>`
    select part, counts from tap_latency where baseline = ${baseline} and part ${amongTexts(engine, parts)}`.execute(transaction);
  const there = new Map(rows.map(({ part, counts }) => [part, counts]));
  return latencies.map(({ part, counts }) => ({ part, counts: latencyCountsTogether(latencyCountsFrom(there.get(part) ?? ''), counts) }));
}

/** The same SQL text for any number, so that neither engine prepares it again. */
function amongTexts(engine: Engine['kind'], texts: readonly string[]): RawBuilder<unknown> {
  return engine === 'postgres' ? sql`= any(${texts}::text[])` : sql`in (select value from json_each(${JSON.stringify(texts)}))`;
}
