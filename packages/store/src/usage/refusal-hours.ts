/**
 * Refused calls by hour, organization, key and reason, as the nodes counted them. Kept for ninety days. Nodes send them every few seconds, so
 * the last seconds before a crash are missing. See docs/decisions/0091.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { hourMs } from '@metergate/core/report/hour-sum.ts';
import type { RefusalCount, RefusalReason } from '@metergate/core/report/refusal-count.ts';
import { sql } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { insertRows, type BulkInsert } from '../engine/bulk.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';

interface RefusalsQuery {
  readonly organization: OrganizationId;
  /** From this hour on. */
  readonly fromMs: number;
  /** Before this hour. */
  readonly toMs: number;
}

/** Refusals of one key for one reason. */
interface RefusalsOfKey extends RefusalReason {
  readonly key: ServiceKeyId | null;
  readonly refusals: number;
  /** First instants of the first and of the last hour that has any. */
  readonly firstHourMs: number;
  readonly lastHourMs: number;
}

interface RefusalsOfStep {
  readonly startMs: number;
  readonly code: string;
  readonly refusals: number;
}

export interface RefusalHours {
  /** Adds a node's counts. Counts of erased organizations are dropped. */
  add(counts: readonly RefusalCount[]): Promise<void>;
  /** Most often refused first. */
  byKey(query: RefusalsQuery, limit: number): Promise<RefusalsOfKey[]>;
  /** By code, in steps of `stepMs`: an hour, or a multiple of it that begins with the epoch. */
  steps(query: RefusalsQuery & { readonly stepMs: number }): Promise<RefusalsOfStep[]>;
}

/** How long counts are kept, at least. */
export const refusalsKeptMs = 90 * 24 * hourMs;

const insert: BulkInsert<RefusalCount> = {
  table: 'refusal_hour',
  columns: [
    { name: 'organization', kind: 'text', value: ({ organization }) => organization },
    { name: 'hour_ms', kind: 'whole', value: ({ hourMs: at }) => at },
    { name: 'key', kind: 'text', value: ({ key }) => key ?? '' },
    { name: 'code', kind: 'text', value: ({ code }) => code },
    { name: 'scope', kind: 'text', value: ({ scope }) => scope ?? '' },
    { name: 'window', kind: 'text', value: ({ window }) => window ?? '' },
    { name: 'refusals', kind: 'whole', value: ({ refusals }) => refusals },
  ],
  after: `on conflict (organization, hour_ms, key, code, scope, "window")
    do update set refusals = refusal_hour.refusals + excluded.refusals`,
};

export function refusalHoursIn({ background: engine }: StoreContext): RefusalHours {
  let droppedBeforeMs = -Infinity;
  return {
    add: (counts) => engine.write(async (transaction) => {
      const { send } = sendingIn(transaction);
      holdOffErasures(engine.kind, send);
      const erased = await erasedAmong(engine.kind, send, counts.map(({ organization }) => organization));
      // Every node uses the same order, so that no two wait for each other.
      const kept = counts.filter(({ organization }) => !erased.has(organization)).toSorted(inOrder);
      await insertRows(engine.kind, transaction, insert, kept);
      const oldestMs = Math.max(...kept.map(({ hourMs: at }) => at)) - refusalsKeptMs;
      if (kept.length === 0 || oldestMs <= droppedBeforeMs) return;
      await transaction.deleteFrom('refusal_hour').where('hour_ms', '<', BigInt(oldestMs)).execute();
      droppedBeforeMs = oldestMs;
    }),
    byKey: ({ organization, fromMs, toMs }, limit) => engine.read(async (db) => {
      const rows = await db.selectFrom('refusal_hour')
        .select((column) => [
          'key', 'code', 'scope', 'window', sql<bigint>`cast(sum(refusals) as bigint)`.as('sum'),
          column.fn.min('hour_ms').as('first_ms'), column.fn.max('hour_ms').as('last_ms'),
        ])
        .where('organization', '=', organization).where('hour_ms', '>=', BigInt(fromMs)).where('hour_ms', '<', BigInt(toMs))
        .groupBy(['key', 'code', 'scope', 'window']).orderBy('sum', 'desc').orderBy('key').orderBy('code').limit(limit).execute();
      return rows.map(({ key, code, scope, window, sum, first_ms: first, last_ms: last }) => ({
        key: key === '' ? null : key as ServiceKeyId, code,
        scope: scope === '' ? null : scope as RefusalsOfKey['scope'], window: window === '' ? null : window as RefusalsOfKey['window'],
        refusals: Number(sum), firstHourMs: Number(first), lastHourMs: Number(last),
      }));
    }),
    steps: ({ organization, fromMs, toMs, stepMs }) => engine.read(async (db) => {
      const step = sql.lit(stepMs);
      const { rows } = await sql<{ start: bigint; code: string; sum: bigint }>`
        select hour_ms - hour_ms % ${step} as start, code, cast(sum(refusals) as bigint) as sum from refusal_hour
        where organization = ${organization} and hour_ms >= ${BigInt(fromMs)} and hour_ms < ${BigInt(toMs)}
        group by 1, 2 order by 1, 2`.execute(db);
      return rows.map(({ start, code, sum }) => ({ startMs: Number(start), code, refusals: Number(sum) }));
    }),
  };
}

function inOrder(one: RefusalCount, other: RefusalCount): number {
  const [a, b] = [one, other].map(({ organization, hourMs: at, key, code, scope, window }) => [organization, at, key, code, scope, window].join(' '));
  return a! < b! ? -1 : 1;
}
