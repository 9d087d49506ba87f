/**
 * The tap's events: which keys may post, storing batches (`keep-batch.ts`), reading sums, erasing everything. Spec: Tap ingestion, Baseline.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { tapAdmission } from '@metergate/core/tap/baseline.ts';
import { latencyCountsFrom } from '@metergate/core/tap/latency-bucket.ts';
import { partOnDay, tapFigures, type TapCell, type TapHeadroom, type TapLatency } from '@metergate/core/tap/rollup.ts';
import type { Plan } from '@metergate/core/rate/plan.ts';
import { sql, type Kysely } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import { lifeOf } from './baselines.ts';
import { holderOf, keptInSlices, type KeptBatch, type TapBatch, type TapKeyRefusal } from './keep-batch.ts';

/** The sums that a report is made of. */
interface TapSumsRead {
  readonly cells: TapCell[];
  readonly latencies: TapLatency[];
  readonly headroom: TapHeadroom[];
}

export interface TapEvents {
  /** Whether a key would be admitted now. */
  admission(keyHash: string): Promise<'admitted' | TapKeyRefusal>;
  /** Stores the events of the batch that the Baseline does not have yet; returns how many are new. */
  keep(batch: TapBatch): Promise<KeptBatch>;
  /**
   * The same, but it yields between two slices, each a transaction, so that others may write. At its end the whole batch is stored, and
   * it is on disk once `forced` resolves.
   */
  keepInSlices(batch: TapBatch): AsyncGenerator<void, KeptBatch>;
  /** Resolves when everything stored so far is on disk. */
  forced(): Promise<void>;
  /** The sums of the organization's Baseline with this id. */
  sums(baseline: string, organization: OrganizationId): Promise<TapSumsRead>;
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
    sums: (baseline, organization) => engine.read(async (db) => {
      const row = await db.selectFrom('baseline').select(['number', 'gone_before_ms'])
        .where('id', '=', baseline).where('organization', '=', organization).executeTakeFirst();
      return row === undefined ? { cells: [], latencies: [], headroom: [] } : readSums(engine, db, row.number, row.gone_before_ms ?? 0n);
    }),
  };
}

type CellArray = [dayMs: number, provider: TapCell['provider'], model: string, tag: string, band: number, sums: number[]];
const figureColumns = sql.join(tapFigures.map((name) => sql.ref(name)));
const numberOf = (name: string) => sql<number>`cast(${sql.ref(name)} as double precision)`;

/**
 * The engine writes the cells as one JSON text. That takes a fifth of the time of as many rows, with plain numbers, exact to 2^53, in
 * place of a million bigints. `sinceMs`: reports of earlier days are being removed.
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
 * Removes, inside the erasure of an organization, its tap key and everything reported under it except the events themselves,
 * which `dropErasedEvents` removes in slices. Posts are then answered as for an unknown key.
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

/** Removes at most `limit` events of erased organizations; returns how many. 0: all are gone. */
export async function dropErasedEvents(transaction: Kysely<Schema>, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from tap_event where (baseline, request_id) in (
    select e.baseline, e.request_id from tap_event e join baseline b on b.number = e.baseline
    where b.erased_at_ms is not null limit ${limit})`.execute(transaction);
  return Number(numAffectedRows ?? 0n);
}
