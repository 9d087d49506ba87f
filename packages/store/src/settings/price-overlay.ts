/**
 * The operator's own prices: one JSON text, stored as given and always replaced as a whole. Rule 6.
 * It is validated before it gets here.
 */
import type { StoreContext } from '../context.ts';

export interface PriceOverlay {
  /** The text last loaded, or null. */
  overlay(): Promise<string | null>;
  loadOverlay(json: string): Promise<void>;
}

export function priceOverlayIn({ engine }: StoreContext): PriceOverlay {
  return {
    overlay: () => engine.read(async (db) =>
      (await db.selectFrom('price_overlay').select('json').executeTakeFirst())?.json ?? null),
    async loadOverlay(json) {
      await engine.change<null>(async (transaction, revision) => {
        await transaction.insertInto('price_overlay').values({ only: 1, json, revision })
          .onConflict((conflict) => conflict.column('only').doUpdateSet({ json, revision })).execute();
        return null;
      }, { action: 'loadPrices', organization: null, subject: null });
    },
  };
}
