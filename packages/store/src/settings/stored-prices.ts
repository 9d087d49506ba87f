/**
 * The deployment's prices: the operator's own, one JSON text that is always replaced as a whole, and the price lists that were imported, of which
 * one may be in force. Rule 6. All of it is validated before it gets here.
 */
import type { PriceTexts } from '@metergate/core/price/price-texts.ts';
import { sql, type Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import type { Schema } from '../schema/schema.ts';

export interface StoredPrices {
  /** Both, of one moment. */
  texts(): Promise<PriceTexts>;
  /** `id`: as records name it; then it is kept beside the lists, for pricing calls again. */
  loadOverlay(json: string, id?: string): Promise<void>;
  /** The text of a list, or of the operator's own prices, that is kept; null: there is none of this id. */
  list(id: string): Promise<string | null>;
  /** Keeps a list without putting it in force. */
  keepList(list: { readonly id: string; readonly json: string }): Promise<void>;
  /** Puts an imported list in force, and keeps it. The oldest beyond `listsKept` go. */
  importList(list: { readonly id: string; readonly json: string }): Promise<void>;
  /** Puts the shipped list in force again. False: it was. */
  leaveList(): Promise<boolean>;
}

/** How many imported lists are kept, so that calls can be priced again by those that records name. */
const listsKept = 100;

export function storedPricesIn({ engine, background, clock }: StoreContext): StoredPrices {
  const list = (id: string) => engine.read(async (db) => id.includes('\0') ? null
    : (await db.selectFrom('price_list').select('json').where('id', '=', id).executeTakeFirst())?.json ?? null);
  return {
    texts: () => engine.read(async (db) => {
      const { rows } = await sql<PriceTexts>`select (select json from price_list where in_force = 1) as list,
        (select json from price_overlay) as overlay`.execute(db);
      return { list: rows[0]?.list ?? null, overlay: rows[0]?.overlay ?? null };
    }),
    async loadOverlay(json, id) {
      await engine.change<null>(async (transaction, revision) => {
        await transaction.insertInto('price_overlay').values({ only: 1, json, revision })
          .onConflict((conflict) => conflict.column('only').doUpdateSet({ json, revision })).execute();
        if (id !== undefined) await keep(transaction, { id, json }, { atMs: clock(), revision });
        return null;
      }, { action: 'loadPrices', organization: null, subject: null });
    },
    list,
    async keepList({ id, json }) {
      if (await list(id) === null) await background.write((transaction) => keep(transaction, { id, json }, { atMs: clock(), revision: 0 }));
    },
    async importList({ id, json }) {
      await engine.change<null>(async (transaction, revision) => {
        await leave(transaction, revision);
        await keep(transaction, { id, json }, { atMs: clock(), revision });
        await transaction.updateTable('price_list').set({ in_force: 1 }).where('id', '=', id).execute();
        return null;
      }, { action: 'importPrices', organization: null, subject: id });
    },
    leaveList: async () => await engine.change<boolean>(async (transaction, revision) => leave(transaction, revision),
      (left) => (left ? { action: 'importPrices', organization: null, subject: null } : null)) === true,
  };
}

/** Keeps a text, and removes the oldest of too many; one in force stays. */
async function keep(
  transaction: Transaction<Schema>, { id, json }: { readonly id: string; readonly json: string },
  { atMs, revision }: { readonly atMs: number; readonly revision: bigint | number },
): Promise<null> {
  const row = { json, imported_at_ms: BigInt(Math.floor(atMs)), in_force: 0, revision };
  await transaction.insertInto('price_list').values({ id, ...row }).onConflict((conflict) => conflict.column('id').doUpdateSet(row)).execute();
  await sql`delete from price_list where in_force = 0 and id not in
    (select id from price_list order by imported_at_ms desc limit ${listsKept})`.execute(transaction);
  return null;
}

/** False: no imported list was in force. */
async function leave(transaction: Transaction<Schema>, revision: bigint | number): Promise<boolean> {
  const { numUpdatedRows } = await transaction.updateTable('price_list').set({ in_force: 0, revision }).where('in_force', '=', 1n).executeTakeFirst();
  return numUpdatedRows > 0n;
}
