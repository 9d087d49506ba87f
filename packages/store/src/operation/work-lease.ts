/** A lease on work that only one platform does at a time. If its holder is gone, the lease expires. */
import type { Kysely } from 'kysely';
import { numberOrNull, type Schema } from '../schema/schema.ts';
import { ownWriter } from '../schema/migrations/list.ts';
import { assertTaken } from '../schema/migrations/writer-taken.ts';
import type { StoreContext } from '../sealing/context.ts';

/** `beforeMs`: until when somebody, perhaps this holder, had the lease before; null: nobody ever had it. */
interface HeldWork {
  /** How far the work has come. */
  readonly cursor: number;
  readonly beforeMs: number | null;
}

export interface WorkLeases {
  /** Takes or keeps the lease until `untilMs`. Null: another platform holds it. */
  hold(name: string, holder: string, time: { readonly nowMs: number; readonly untilMs: number }): Promise<HeldWork | null>;
  /** Notes how far the work has come, if this holder still has the lease. */
  advance(name: string, holder: string, cursor: number): Promise<void>;
  /** Gives it up at this moment, so that another need not wait. */
  release(name: string, holder: string): Promise<void>;
}

export function workLeasesIn({ engine, clock }: StoreContext): WorkLeases {
  return {
    hold: (name, holder, { nowMs, untilMs }) => engine.write(async (transaction) => {
      const stated = await transaction.selectFrom('metergate_schema').select('oldest_writer').executeTakeFirst();
      assertTaken(stated?.oldest_writer ?? 0n);
      const before = await leaseOf(transaction, name);
      await transaction.insertInto('work_lease').values({ name, holder, until_ms: untilMs, cursor: 0, writer: ownWriter })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ holder, until_ms: untilMs })
          .where((where) => where.or([where('work_lease.holder', '=', holder), where('work_lease.until_ms', '<=', BigInt(nowMs))])))
        .execute();
      const row = await leaseOf(transaction, name);
      if (row?.holder !== holder) return null;
      return { cursor: Number(row.cursor), beforeMs: numberOrNull(before?.until_ms ?? null) };
    }),
    advance: (name, holder, cursor) => engine.write(async (transaction) => {
      await transaction.updateTable('work_lease').set({ cursor }).where('name', '=', name).where('holder', '=', holder).execute();
    }),
    release: (name, holder) => engine.write(async (transaction) => {
      await transaction.updateTable('work_lease').set({ until_ms: Math.floor(clock()) })
        .where('name', '=', name).where('holder', '=', holder).execute();
    }),
  };
}

function leaseOf(db: Kysely<Schema>, name: string) {
  return db.selectFrom('work_lease').selectAll().where('name', '=', name).executeTakeFirst();
}
