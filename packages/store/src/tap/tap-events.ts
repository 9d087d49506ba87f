/**
 * The tap's events: which key may post, batches kept (`keep-batch.ts`), sums read, everything erased. Spec: Tap ingestion, Baseline.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { tapAdmission } from '@metergate/core/tap/baseline.ts';
import { latencyCountsFrom } from '@metergate/core/tap/latency-bucket.ts';
import { partOnDay, tapFigures, type TapCell, type TapHeadroom, type TapLatency } from '@metergate/core/tap/rollup.ts';
import type { Plan } from '@metergate/core/rate/plan.ts';
import { sql, type Kysely } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../context.ts';
import { lifeOf } from './baselines.ts';
import { holderOf, keptInSlices, type KeptBatch, type TapBatch, type TapKeyRefusal } from './keep-batch.ts';

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
  keep(batch: TapBatch): Promise<KeptBatch>;
  /**
   * The same; between two slices, each a transaction, it yields, so that others may write. Who goes on to the end has kept the whole batch, and
   * the disk has it once `forced` resolves.
   */
  keepInSlices(batch: TapBatch): AsyncGenerator<void, KeptBatch>;
  /** Resolves when the disk has all that was kept so far. */
  forced(): Promise<void>;
  /** Of the Baseline with this id, whoever's it is. */
  sums(baseline: string): Promise<TapSumsRead>;
}

export function tapEventsIn(context: StoreContext): TapEvents {
  const { engine, clock } = context;
  return {
    admission: (keyHash) => engine.read(async (db) => {
      const holder = await holderOf(engine, db, { keyHash, locked: false });
      return holder === null ? 'unknown_key' : tapAdmission(lifeOf(holder), holder.plan as Plan, clock());
    }),
    keep: async (batch) => {
      const slices = keptInSlices(context, batch);
      for (;;) {
        const { done, value } = await slices.next();
        if (done !== true) continue;
        await engine.forced();
        return value;
      }
    },
    keepInSlices: (batch) => keptInSlices(context, batch),
    forced: () => engine.forced(),
    sums: (baseline) => engine.read(async (db) => {
      const row = await db.selectFrom('baseline').select(['number', 'gone_before_ms']).where('id', '=', baseline).executeTakeFirst();
      return row === undefined ? { cells: [], latencies: [], headroom: [] } : readSums(engine, db, row.number, row.gone_before_ms ?? 0n);
    }),
  };
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
