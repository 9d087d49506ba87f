/**
 * Known faults of the public list: models as it has them and as they are once amended (decision 131). A list that is imported is mended only where
 * it still has exactly such a model; where it says anything else, it is taken as it is.
 */
import mendsJson from '../../../price-list/mends.json' with { type: 'json' };
import type { ListedModel, ListedProvider } from '../price-list.ts';

/** Written only by `scripts/generate-price-list.ts`. */
export interface Mend {
  readonly provider: string;
  readonly was: ListedModel;
  /** More than one: a separate model that goes before. */
  readonly is: readonly ListedModel[];
}

/** The mends of the list that is shipped. */
export const shippedMends = mendsJson as unknown as readonly Mend[];

/** The sellers with what is still faulty in them mended. */
export function mended(sellers: readonly ListedProvider[], mends: readonly Mend[] = shippedMends): ListedProvider[] {
  const known = new Map(mends.map((mend) => [`${mend.provider}\0${JSON.stringify(mend.was)}`, mend.is]));
  return sellers.map((seller) => {
    const own = new Set(seller.models.map(({ id }) => id));
    const models = seller.models.flatMap((model) => (known.get(`${seller.id}\0${JSON.stringify(model)}`) ?? [model])
      // A model that the list has meanwhile is the list's.
      .filter(({ id }) => id === model.id || !own.has(id)));
    return { ...seller, models };
  });
}
