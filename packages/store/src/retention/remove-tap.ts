/**
 * Removes what was reported to an organization's Baselines before a day, a slice at a time. Reports leave those days out as soon as
 * this is noted; their sums and events are then removed in slices. A Baseline that another replaced is removed with its last event.
 */
import { sql, type Selectable, type Transaction } from 'kysely';
import { partOnDay } from '@metergate/core/tap/rollup.ts';
import type { Schema } from '../schema/schema.ts';
import type { BaselineTable } from '../schema/tap-schema.ts';

/** `beforeMs`: 00:00 UTC of the first day that stays. */
interface TapSlice {
  readonly organization: string;
  readonly beforeMs: number;
  readonly limit: number;
}

interface RemovedTap {
  readonly events: number;
  /** There is more to remove. */
  readonly more: boolean;
}

type BaselineRow = Selectable<BaselineTable>;

export async function removeTap(transaction: Transaction<Schema>, slice: TapSlice): Promise<RemovedTap> {
  const baselines = await transaction.selectFrom('baseline').selectAll().where('organization', '=', slice.organization)
    .where('erased_at_ms', 'is', null).orderBy('number').execute();
  for (const baseline of baselines) {
    if (await hideDays(transaction, baseline, slice.beforeMs)) return { events: 0, more: true };
    const events = await removeEvents(transaction, baseline.number, slice);
    if (events > 0) return { events, more: true };
    if (await removeSums(transaction, baseline.number, slice)) return { events: 0, more: true };
    if (await removeReplaced(transaction, baseline, slice.beforeMs)) return { events: 0, more: true };
  }
  return { events: 0, more: false };
}

/** Reports begin with `beforeMs` once this commits. Does nothing if nothing was reported before that day. */
async function hideDays(transaction: Transaction<Schema>, { number, gone_before_ms: gone }: BaselineRow, beforeMs: number): Promise<boolean> {
  if (gone !== null && gone >= BigInt(beforeMs)) return false;
  const old = await transaction.selectFrom('tap_cell').select('day_ms').where('baseline', '=', number).where('day_ms', '<', BigInt(beforeMs))
    .limit(1).executeTakeFirst();
  if (old === undefined) return false;
  await transaction.updateTable('baseline').set({ gone_before_ms: BigInt(beforeMs) }).where('number', '=', number).execute();
  return true;
}

async function removeEvents(transaction: Transaction<Schema>, baseline: bigint, { beforeMs, limit }: TapSlice): Promise<number> {
  const { numAffectedRows } = await sql`delete from tap_event where (baseline, request_id) in (
    select baseline, request_id from tap_event where baseline = ${baseline} and at_ms < ${BigInt(beforeMs)} order by at_ms limit ${limit})`
    .execute(transaction);
  return Number(numAffectedRows ?? 0n);
}

/** Removes the sums of hidden days. The name of a latency begins with its day. */
async function removeSums(transaction: Transaction<Schema>, baseline: bigint, { beforeMs, limit }: TapSlice): Promise<boolean> {
  const key = sql.raw('baseline, day_ms, provider, model, tag, band');
  const cells = await sql`delete from tap_cell where (${key}) in (
    select ${key} from tap_cell where baseline = ${baseline} and day_ms < ${BigInt(beforeMs)} limit ${limit})`.execute(transaction);
  const latencies = await sql`delete from tap_latency where (baseline, part) in (
    select baseline, part from tap_latency where baseline = ${baseline} and part < ${partOnDay(beforeMs, '')} limit ${limit})`.execute(transaction);
  const headroom = await transaction.deleteFrom('tap_headroom').where('baseline', '=', baseline).where('at_ms', '<', BigInt(beforeMs))
    .executeTakeFirst();
  return [cells.numAffectedRows, latencies.numAffectedRows, headroom.numDeletedRows].some((rows) => (rows ?? 0n) > 0n);
}

async function removeReplaced(
  transaction: Transaction<Schema>, { number, replaced_at_ms: replacedAtMs }: BaselineRow, beforeMs: number,
): Promise<boolean> {
  if (replacedAtMs === null || replacedAtMs >= BigInt(beforeMs)) return false;
  const left = await transaction.selectFrom('tap_event').select('request_id').where('baseline', '=', number).limit(1).executeTakeFirst();
  if (left !== undefined) return false;
  for (const table of ['tap_cell', 'tap_latency', 'tap_line', 'declared_figure'] as const) {
    await transaction.deleteFrom(table).where('baseline', '=', number).execute();
  }
  await transaction.deleteFrom('baseline').where('number', '=', number).execute();
  return true;
}
