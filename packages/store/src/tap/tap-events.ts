/**
 * Tap batches: accepted or refused by the key that they come with, and stored whole or not at all. Spec: Tap ingestion, Baseline. Checks and
 * insert are one transaction that locks the Baseline's row. So if the key is rotated or the Baseline closes while a request is under way,
 * that request stores nothing, on any node.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { baselinePeriod, firstDayAfter, tapAdmission } from '@metergate/core/tap/baseline.ts';
import type { TapEvent } from '@metergate/core/tap/event.ts';
import { latencyCountsFrom } from '@metergate/core/tap/latency-bucket.ts';
import { partOnDay, rollUp, tapFigures, type TapCell, type TapHeadroom, type TapLatency } from '@metergate/core/tap/rollup.ts';
import type { Plan } from '@metergate/core/rate/plan.ts';
import { sql, type Kysely } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../context.ts';
import { lifeOf } from './baselines.ts';
import { addRollup, insertNewEvents, withLines } from './write-events.ts';

/** Why a key admits nothing. */
export type TapKeyRefusal = 'unknown_key' | 'baseline_closed' | 'tap_retired';

export interface TapBatch {
  /** SHA-256 of the presented key, lower-case hexadecimal. */
  readonly keyHash: string;
  readonly events: readonly TapEvent[];
  /** Whether a call can begin a Baseline's days; the day is that of its timestamp. */
  readonly isPriced: (event: TapEvent) => boolean;
  /** Input sizes at which a listed price changes, ascending. */
  readonly priceSteps: readonly number[];
}

/** The sums that a report is made of. */
export interface TapSumsRead {
  readonly cells: TapCell[];
  readonly latencies: TapLatency[];
  readonly headroom: TapHeadroom[];
}

export interface TapEvents {
  /** Whether a key would be admitted now. */
  admission(keyHash: string): Promise<'admitted' | TapKeyRefusal>;
  /** Keeps the whole batch but for what the Baseline has already; says how many events are new. */
  keep(batch: TapBatch): Promise<{ readonly accepted: number } | TapKeyRefusal>;
  /** Of the Baseline with this id, whoever's it is. */
  sums(baseline: string): Promise<TapSumsRead>;
}

interface KeyHolder {
  readonly number: bigint;
  readonly created_at_ms: bigint;
  readonly first_day_ms: bigint | null;
  readonly retired_at_ms: bigint | null;
  readonly replaced_at_ms: bigint | null;
  readonly plan: string;
}

export function tapEventsIn({ engine, clock }: StoreContext): TapEvents {
  return {
    admission: (keyHash) => engine.read(async (db) => {
      const holder = await holderOf(engine, db, { keyHash, locked: false });
      return holder === null ? 'unknown_key' : tapAdmission(lifeOf(holder), holder.plan as Plan, clock());
    }),
    keep: ({ keyHash, events, isPriced, priceSteps }) => engine.write(async (transaction) => {
      const holder = await holderOf(engine, transaction, { keyHash, locked: true });
      if (holder === null) return 'unknown_key';
      const life = lifeOf(holder);
      const admission = tapAdmission(life, holder.plan as Plan, clock());
      if (admission !== 'admitted') return admission;
      const writing = { engine: engine.kind, transaction, baseline: holder.number };
      const kept = await insertNewEvents(writing, events);
      const nowMs = clock();
      const firstDayMs = firstDayAfter(life, { events: kept, isPriced, nowMs });
      if (firstDayMs !== life.firstDayMs) {
        await transaction.updateTable('baseline').set({ first_day_ms: firstDayMs }).where('number', '=', holder.number).execute();
        // Those of the days before are not of the report.
        await transaction.deleteFrom('tap_headroom').where('baseline', '=', holder.number).execute();
      }
      const { cells, latencies, headroom } = rollUp(await withLines(writing, kept), priceSteps);
      const period = baselinePeriod({ firstDayMs }, Math.max(nowMs, firstDayMs ?? 0));
      const isInside = ({ atMs }: TapHeadroom): boolean => period === null || (atMs >= period.fromMs && atMs < period.toMs);
      await addRollup(writing, { cells, latencies, headroom: headroom.filter(isInside) });
      return { accepted: kept.length };
    }),
    sums: (baseline) => engine.read(async (db) => {
      const row = await db.selectFrom('baseline').select(['number', 'gone_before_ms']).where('id', '=', baseline).executeTakeFirst();
      return row === undefined ? { cells: [], latencies: [], headroom: [] } : readSums(engine, db, row.number, row.gone_before_ms ?? 0n);
    }),
  };
}

/** The live key's Baseline and its organization's plan. The row stays locked until the transaction ends. */
async function holderOf(
  engine: Engine, db: Kysely<Schema>, { keyHash, locked }: { readonly keyHash: string; readonly locked: boolean },
): Promise<KeyHolder | null> {
  // SQLite's write transactions are alone as they are.
  const lock = locked && engine.kind === 'postgres' ? sql`for update of b` : sql``;
  const { rows } = await sql<KeyHolder>`
    select b.number, b.created_at_ms, b.first_day_ms, b.retired_at_ms, b.replaced_at_ms, o.plan
    from baseline b join organization o on o.id = b.organization where b.key_hash = ${keyHash} ${lock}`.execute(db);
  return rows[0] ?? null;
}

type CellArray = [dayMs: number, provider: TapCell['provider'], model: string, tag: string, band: number, sums: number[]];
const figureColumns = sql.join(tapFigures.map((name) => sql.ref(name)));
const numberOf = (name: string) => sql<number>`cast(${sql.ref(name)} as double precision)`;

/**
 * Cells come as one JSON text that the engine writes: a fifth of the time of as many rows, and plain numbers, exact to 2^53, in
 * place of a million bigints. `sinceMs`: what was reported of the days before is gone, or going.
 */
async function readSums({ kind }: Engine, db: Kysely<Schema>, number: bigint, sinceMs: bigint): Promise<TapSumsRead> {
  const [array, all] = kind === 'sqlite' ? [sql.raw('json_array'), sql.raw('json_group_array')] : [sql.raw('json_build_array'), sql.raw('json_agg')];
  const { rows } = await sql<{ cells: string | null }>`
    select cast(${all}(${array}(day_ms, provider, model, tag, band, ${array}(${figureColumns}))) as text) as cells
    from tap_cell where baseline = ${number} and day_ms >= ${sinceMs}`.execute(db);
  const cells = JSON.parse(rows[0]?.cells ?? '[]') as CellArray[];
  const latencies = await db.selectFrom('tap_latency').select(['part', 'counts']).where('baseline', '=', number)
    .where('part', '>=', partOnDay(Number(sinceMs), '')).execute();
  const headroom = await db.selectFrom('tap_headroom')
    .select(['provider', 'model', 'kind', numberOf('most').as('limit'), numberOf('remaining').as('remaining'), numberOf('at_ms').as('atMs')])
    .where('baseline', '=', number).where('at_ms', '>=', sinceMs).orderBy('provider').orderBy('model').orderBy('kind').execute();
  return {
    cells: cells.map(([dayMs, provider, model, tag, band, sums]) => ({ dayMs, provider, model, tag, band, sums })),
    latencies: latencies.map(({ part, counts }) => ({ part, counts: latencyCountsFrom(counts) })),
    headroom: headroom as TapHeadroom[],
  };
}

/**
 * Takes away, inside the erasure of an organization, its tap key and everything reported under it but the events themselves,
 * which `dropErasedEvents` removes in slices. Posts answer as for a key that never was.
 */
export async function eraseTap(transaction: Kysely<Schema>, organization: OrganizationId, nowMs: number): Promise<void> {
  const erased = await transaction.updateTable('baseline').set({ key_hash: null, sealed: null, key_prefix: '', erased_at_ms: nowMs })
    .where('organization', '=', organization).returning('number').execute();
  for (const { number } of erased) {
    for (const table of ['tap_cell', 'tap_latency', 'tap_headroom', 'tap_line', 'declared_figure'] as const) {
      await transaction.deleteFrom(table).where('baseline', '=', number).execute();
    }
  }
}

/** Removes at most `limit` events of erased organizations; says how many. 0: all are gone. */
export async function dropErasedEvents(transaction: Kysely<Schema>, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from tap_event where (baseline, request_id) in (
    select e.baseline, e.request_id from tap_event e join baseline b on b.number = e.baseline
    where b.erased_at_ms is not null limit ${limit})`.execute(transaction);
  return Number(numAffectedRows ?? 0n);
}
