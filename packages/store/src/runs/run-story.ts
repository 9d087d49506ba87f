/** What happened in a run, step by step: its calls added up over time, and when its budget fell. One walk of the run's own index. */
import type { ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, nanoDollarsMax, type NanoDollars } from '@metergate/core/money.ts';
import type { Lowering } from '@metergate/core/run/lowering.ts';
import type { Run } from '@metergate/core/run/run.ts';
import { storyStepMs } from '@metergate/core/run/run-story.ts';
import { sql } from 'kysely';
import { numberOrNull } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import { runOf, storedRunOf, type RunName } from './run-rows.ts';

/** Calls that started in one step of the story. Steps without a call are left out. */
interface StoryStep {
  readonly atMs: number;
  readonly calls: number;
  readonly cost: NanoDollars;
  /** Cut, not reached, or answered with an error. */
  readonly failedCalls: number;
}

export interface StoredStory {
  readonly run: Run;
  /** The key of its first call; null: its records may say. */
  readonly beganBy: ServiceKeyId | null;
  /** In the order of time, `lowerings.ts` says how many. */
  readonly lowerings: readonly Lowering[];
  /** Where its calls are counted from. */
  readonly fromMs: number;
  readonly stepMs: number;
  readonly steps: readonly StoryStep[];
  /** When its newest call that was forwarded started; null: none is kept. */
  readonly lastCallMs: number | null;
  /** Its calls have no record from before this moment; null: none is gone. */
  readonly recordsGoneBeforeMs: number | null;
}

interface StepRow {
  readonly step: bigint;
  readonly calls: bigint;
  readonly cost: bigint;
  readonly failed: bigint;
}

/** Null: there is no such run. */
export async function storyOf({ engine }: StoreContext, { organization, id }: RunName): Promise<StoredStory | null> {
  if (id.includes('\0')) return null;
  return engine.read(async (db) => {
    const row = await db.selectFrom('run').selectAll().where('organization', '=', organization).where('id', '=', id).executeTakeFirst();
    if (row === undefined) return null;
    const { lowerings, beganBy, ...stored } = { ...storedRunOf(row) };
    const of = sql`organization = ${organization} and run = ${id}`;
    const edge = async (order: 'asc' | 'desc'): Promise<number | null> => {
      const { rows } = await sql<{ at: bigint }>`select started_at_ms as at from call_record where ${of}
        order by started_at_ms ${sql.raw(order)} limit 1`.execute(db);
      return rows[0] === undefined ? null : Number(rows[0].at);
    };
    // A call may have started a moment before its run, by another node's clock.
    const [first, last] = [await edge('asc'), await edge('desc')];
    const firstMs = Math.min(stored.startedAtMs, first ?? stored.startedAtMs);
    const lastMs = Math.max(stored.startedAtMs, last ?? 0, lowerings.at(-1)?.atMs ?? 0);
    const stepMs = storyStepMs(lastMs - firstMs);
    const fromMs = Math.floor(firstMs / stepMs) * stepMs;
    const least = engine.kind === 'postgres' ? sql.raw('least') : sql.raw('min');
    const { rows } = await sql<StepRow>`select (started_at_ms - ${BigInt(fromMs)}) / ${BigInt(stepMs)} as step, count(*) as calls,
      cast(${least}(coalesce(sum(cost_nano), 0), ${sql.raw(String(nanoDollarsMax))}) as bigint) as cost,
      count(case when status >= 400 or outcome <> 'completed' then 1 end) as failed
      from call_record where ${of} group by 1 order by 1`.execute(db);
    const kept = await db.selectFrom('retention').select('gone_before_ms').where('organization', '=', organization).executeTakeFirst();
    const goneMs = numberOrNull(kept?.gone_before_ms ?? null);
    return {
      run: runOf({ ...stored, lowerings, beganBy }), beganBy, lowerings, fromMs, stepMs,
      steps: rows.map(({ step, calls, cost, failed }) => ({
        atMs: fromMs + Number(step) * stepMs, calls: Number(calls), cost: nanoDollars(BigInt(cost)), failedCalls: Number(failed),
      })),
      lastCallMs: last,
      recordsGoneBeforeMs: goneMs !== null && goneMs > stored.startedAtMs ? goneMs : null,
    };
  });
}
