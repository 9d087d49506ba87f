/**
 * What an upgrade of a store has to do, and about how long that takes: most migrations only make tables and columns, some read every record.
 * Nothing is changed here.
 */
import { sql } from 'kysely';
import { openEngine, type Engine } from '../../engine/engine.ts';
import { allDependants, cellsToUpgrade, type CellToUpgrade } from './dependants-of-cells.ts';
import type { UpgradeDependant } from './upgrade-dependants.ts';
import { migrations } from './list.ts';
import { schemaVersionIn } from './prepare-schema.ts';
import { secondsOfStep, upgradeStep, usOfRecord, type UpgradeStep } from './upgrade-steps.ts';

export interface UpgradePlan {
  /** Versions of the schema: of the store (null: there is none), and of this program. */
  readonly from: number | null;
  readonly to: number;
  readonly records: number;
  readonly steps: readonly UpgradeStep[];
  /** About how long it takes; measured with `bench/upgrade.ts` on a slow machine. */
  readonly seconds: number;
  /** What holds the upgrade up until it is dropped. */
  readonly dependants: readonly UpgradeDependant[];
  /** Of the cells besides the default one, those that are older or away. They are upgraded after it. */
  readonly cells: readonly CellPlan[];
}

export interface CellPlan {
  readonly name: string;
  /** Null: it is away. */
  readonly plan: Pick<UpgradePlan, 'from' | 'records' | 'steps' | 'seconds'> | null;
}

/** @throws StoreFault, also where there is no file. */
export async function planUpgrade(url: string): Promise<UpgradePlan> {
  const engine = await openEngine(url, { create: false });
  try {
    return await planIn(engine, url);
  } finally {
    await engine.close();
  }
}

async function planIn(engine: Engine, url: string): Promise<UpgradePlan> {
  const to = migrations.length;
  const { from, ...own } = await planOfOne(engine);
  if (from === null) return { from, to, ...own, dependants: [], cells: [] };
  const cells: CellPlan[] = [];
  for (const cell of await cellsToUpgrade(engine, url, from)) {
    const plan = await planOfCell(cell);
    if (plan === null || plan.from! < to) cells.push({ name: cell.name, plan });
  }
  return { from, to, ...own, dependants: await allDependants(engine, url, from), cells };
}

async function planOfCell({ url }: CellToUpgrade): Promise<CellPlan['plan']> {
  let engine: Engine | null = null;
  try {
    engine = await openEngine(url, { create: false, isCell: true });
    const plan = await planOfOne(engine);
    return plan.from === null ? null : plan;
  } catch {
    return null;
  } finally {
    await engine?.close();
  }
}

async function planOfOne(engine: Engine): Promise<NonNullable<CellPlan['plan']>> {
  const from = await engine.read((db) => schemaVersionIn(engine, db));
  if (from === null) return { from, records: 0, steps: [], seconds: 0 };
  const records = await engine.read(async (db) => Number((await sql<{ records: bigint }>`select count(*) as records from call_record`.execute(db))
    .rows[0]!.records));
  const steps = Array.from({ length: Math.max(0, migrations.length - from) }, (_, index) => upgradeStep(from + index + 1));
  const microseconds = steps.reduce((sum, { version }) => sum + usOfRecord(version) * records, 0);
  const seconds = Math.ceil(microseconds / 1e6 + steps.length * secondsOfStep);
  return { from, records, steps, seconds };
}
