/** A lease on work that only one platform does at a time. If its holder is gone, the lease expires. */
import type { Kysely } from 'kysely';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../context.ts';

export interface WorkLeases {
  /** Takes or keeps the lease until `untilMs`. Null: another platform holds it; otherwise how far the work has come. */
  hold(name: string, holder: string, time: { readonly nowMs: number; readonly untilMs: number }): Promise<{ readonly cursor: number } | null>;
  /** Notes how far the work has come, if this holder still has the lease. */
  advance(name: string, holder: string, cursor: number): Promise<void>;
  /** Gives it up, so that another need not wait. */
  release(name: string, holder: string): Promise<void>;
}

export function workLeasesIn({ engine }: StoreContext): WorkLeases {
  return {
    hold: (name, holder, { nowMs, untilMs }) => engine.write(async (transaction) => {
      await transaction.insertInto('work_lease').values({ name, holder, until_ms: untilMs, cursor: 0 })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ holder, until_ms: untilMs })
          .where((where) => where.or([where('work_lease.holder', '=', holder), where('work_lease.until_ms', '<=', BigInt(nowMs))])))
        .execute();
      const row = await leaseOf(transaction, name);
      return row?.holder === holder ? { cursor: Number(row.cursor) } : null;
    }),
    advance: (name, holder, cursor) => engine.write(async (transaction) => {
      await transaction.updateTable('work_lease').set({ cursor }).where('name', '=', name).where('holder', '=', holder).execute();
    }),
    release: (name, holder) => engine.write(async (transaction) => {
      await transaction.updateTable('work_lease').set({ until_ms: 0 }).where('name', '=', name).where('holder', '=', holder).execute();
    }),
  };
}

function leaseOf(db: Kysely<Schema>, name: string) {
  return db.selectFrom('work_lease').selectAll().where('name', '=', name).executeTakeFirst();
}
