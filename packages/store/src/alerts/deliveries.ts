/**
 * Deliveries of notices to webhooks: which are due, the result of an attempt, and their log. A delivery that a process takes is due again a
 * minute later, so that none is lost if the process dies. The receiver recognizes a repeat by its `webhook-id`.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { retryPauseMs } from '@metergate/core/alert/webhook-event.ts';
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from '../schema/schema.ts';
import { numberOrNull } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface Delivery {
  readonly id: string;
  readonly webhook: string;
  /** The `webhook-id`: the same in every attempt. */
  readonly message: string;
  readonly type: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAtMs: number;
  /** Null unless pending. */
  readonly nextAtMs: number | null;
  readonly lastAtMs: number | null;
  /** The receiver's last status; null: no answer, or not tried yet. */
  readonly lastStatus: number | null;
  /** Why there was no answer. */
  readonly lastError: string | null;
}

/** A delivery to be tried now. */
export interface DueDelivery {
  readonly id: string;
  readonly webhook: string;
  readonly organization: OrganizationId;
  readonly message: string;
  readonly body: string;
  /** Attempts that failed before. */
  readonly attempts: number;
}

/** The result of an attempt. */
export interface DeliveryAttempt {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly error: string | null;
}

interface DueQuery {
  readonly limit: number;
  readonly except: readonly string[];
}

export interface Deliveries {
  /** Newest first, at most `limit`. `within`, here and below: the organization whose it is, where that is known; only its cell is asked then. */
  list(webhook: string, limit: number, within?: OrganizationId): Promise<Delivery[]>;
  find(id: string, within?: OrganizationId): Promise<Delivery | null>;
  /** Takes what is due at `nowMs`, the longest due first. `except`: skips these organizations. */
  take(nowMs: number, which: DueQuery): Promise<DueDelivery[]>;
  /** Makes what was taken and not settled due now: whoever took it has gone. */
  retake(nowMs: number): Promise<void>;
  settle(delivery: Pick<DueDelivery, 'id' | 'attempts'>, attempt: DeliveryAttempt, nowMs: number): Promise<void>;
  /** Removes what was raised before `beforeMs`, a part at a time. */
  prune(beforeMs: number): Promise<void>;
}

const takenMs = 60_000;
const prunedAtOnce = 500;

export function deliveriesIn({ engine }: StoreContext): Deliveries {
  return {
    list: (webhook, limit) => engine.read(async (db) => (await selected(db).where('d.webhook', '=', webhook)
      .orderBy('d.created_at_ms', 'desc').orderBy('d.id', 'desc').limit(limit).execute()).map(deliveryOf)),
    find: (id) => engine.read(async (db) => {
      const row = await selected(db).where('d.id', '=', id).executeTakeFirst();
      return row === undefined ? null : deliveryOf(row);
    }),
    async take(nowMs, which) {
      // Reads first, since most looks find nothing and need no write.
      const [found] = await engine.read((db) => dueNow(db, nowMs, { ...which, limit: 1 }).execute());
      return found === undefined ? [] : engine.write((transaction) => taken(transaction, nowMs, which));
    },
    retake: (nowMs) => engine.write((transaction) => retaken(transaction, Math.floor(nowMs))),
    settle: ({ id, attempts }, { delivered, status, error }, nowMs) => engine.write(async (transaction) => {
      const atMs = Math.floor(nowMs);
      const pauseMs = delivered ? null : retryPauseMs(attempts + 1);
      await transaction.updateTable('webhook_delivery').set({
        state: delivered ? 'delivered' : pauseMs === null ? 'failed' : 'pending', attempts: attempts + 1, last_at_ms: atMs, last_status: status,
        last_error: error, next_at_ms: pauseMs === null ? null : atMs + pauseMs,
      }).where('id', '=', id).execute();
    }),
    prune: (beforeMs) => engine.write(async (transaction) => {
      const old = await transaction.selectFrom('notice').select('id').where('at_ms', '<', BigInt(Math.floor(beforeMs))).limit(prunedAtOnce).execute();
      if (old.length === 0) return;
      const ids = old.map(({ id }) => id);
      await transaction.deleteFrom('webhook_delivery').where('notice', 'in', ids).execute();
      await transaction.deleteFrom('notice').where('id', 'in', ids).execute();
    }),
  };
}

function dueNow(db: Kysely<Schema>, nowMs: number, { limit, except }: DueQuery) {
  const due = db.selectFrom('webhook_delivery as d').innerJoin('notice as n', 'n.id', 'd.notice')
    .select(['d.id', 'd.webhook', 'd.organization', 'd.notice', 'd.attempts', 'n.body'])
    .where('d.next_at_ms', 'is not', null).where('d.next_at_ms', '<=', BigInt(Math.floor(nowMs)));
  return (except.length === 0 ? due : due.where('d.organization', 'not in', except)).orderBy('d.next_at_ms').limit(limit);
}

async function taken(transaction: Transaction<Schema>, nowMs: number, which: DueQuery): Promise<DueDelivery[]> {
  const rows = await dueNow(transaction, nowMs, which).execute();
  if (rows.length > 0) {
    await transaction.updateTable('webhook_delivery').set({ next_at_ms: Math.floor(nowMs) + takenMs })
      .where('id', 'in', rows.map(({ id }) => id)).execute();
  }
  return rows.map((row) => ({
    id: row.id, webhook: row.webhook, organization: row.organization as OrganizationId, message: row.notice, body: row.body,
    attempts: Number(row.attempts),
  }));
}

/** What waits for its next attempt is due when it was raised, or a pause after its last attempt. Anything else was taken. */
async function retaken(transaction: Transaction<Schema>, nowMs: number): Promise<void> {
  const rows = await transaction.selectFrom('webhook_delivery').select(['id', 'attempts', 'created_at_ms', 'last_at_ms', 'next_at_ms'])
    .where('next_at_ms', '>', BigInt(nowMs)).where('next_at_ms', '<=', BigInt(nowMs + takenMs)).execute();
  const taken = rows.filter(({ attempts, created_at_ms: created, last_at_ms: last, next_at_ms: next }) =>
    next !== (last === null ? created : last + BigInt(retryPauseMs(Number(attempts)) ?? 0)));
  if (taken.length === 0) return;
  await transaction.updateTable('webhook_delivery').set({ next_at_ms: nowMs }).where('id', 'in', taken.map(({ id }) => id)).execute();
}

function selected(db: Kysely<Schema>) {
  return db.selectFrom('webhook_delivery as d').innerJoin('notice as n', 'n.id', 'd.notice').selectAll('d').select('n.type');
}

type Row = Awaited<ReturnType<ReturnType<typeof selected>['executeTakeFirstOrThrow']>>;

function deliveryOf(row: Row): Delivery {
  return {
    id: row.id, webhook: row.webhook, message: row.notice, type: row.type, state: row.state as DeliveryState, attempts: Number(row.attempts),
    createdAtMs: Number(row.created_at_ms), nextAtMs: numberOrNull(row.next_at_ms), lastAtMs: numberOrNull(row.last_at_ms),
    lastStatus: numberOrNull(row.last_status), lastError: row.last_error,
  };
}
