/** Two price lists → what differs between them, model by model, which `prices import` shows before and after. Rule 6. */
import type { ListedModel, ListedProvider, PriceList } from '../price-list.ts';
import { ratesFromList, timeFromList } from '../rates.ts';
import { listedPriceAt } from '../seller.ts';
import { shownPrice, type ShownPrice } from '../show.ts';

/** `names`: the same prices for other names; `address`: the seller's API is at another one. */
type ListChangeKind = 'added' | 'removed' | 'changed' | 'names' | 'address';

export interface ListChange {
  readonly kind: ListChangeKind;
  readonly provider: string;
  /** Null: the whole seller. */
  readonly model: string | null;
  /** The price in force now by the list so far, and by the new one; null: none. */
  readonly from: ShownPrice | null;
  readonly to: ShownPrice | null;
}

/** The changes in the order of the new list, and what is gone after them. `atMs`: the moment whose prices are shown. */
export function listChanges(before: PriceList, after: PriceList, atMs: number): ListChange[] {
  const sellers = new Map(before.providers.map((seller) => [seller.id, seller]));
  const changes: ListChange[] = [];
  const shown = (list: string, seller: ListedProvider, model: ListedModel | undefined) => shownModel(list, seller, model, atMs);
  for (const seller of after.providers) {
    const was = sellers.get(seller.id);
    sellers.delete(seller.id);
    if (was !== undefined && addressText(was) !== addressText(seller)) {
      changes.push({ kind: 'address', provider: seller.id, model: null, from: null, to: null });
    }
    const models = new Map((was?.models ?? []).map((model) => [model.id, model]));
    for (const model of seller.models) {
      const old = models.get(model.id);
      models.delete(model.id);
      const kind = kindOf(old, model);
      if (kind === null) continue;
      changes.push({
        kind, provider: seller.id, model: model.id, from: was === undefined ? null : shown(before.hash, was, old),
        to: shown(after.hash, seller, model),
      });
    }
    for (const model of models.values()) changes.push(removed(before, was!, model, atMs));
  }
  for (const seller of sellers.values()) changes.push(...seller.models.map((model) => removed(before, seller, model, atMs)));
  return changes;
}

function removed(before: PriceList, seller: ListedProvider, model: ListedModel, atMs: number): ListChange {
  return { kind: 'removed', provider: seller.id, model: model.id, from: shownModel(before.hash, seller, model, atMs), to: null };
}

function kindOf(old: ListedModel | undefined, model: ListedModel): ListChangeKind | null {
  if (old === undefined) return 'added';
  if (JSON.stringify(old.prices) !== JSON.stringify(model.prices)) return 'changed';
  return JSON.stringify(old.rule) === JSON.stringify(model.rule) ? null : 'names';
}

function addressText({ host, path, borrows }: ListedProvider): string {
  return JSON.stringify([host, path, borrows]);
}

function shownModel(list: string, { id: provider }: ListedProvider, model: ListedModel | undefined, atMs: number): ShownPrice | null {
  if (model === undefined) return null;
  const price = listedPriceAt(model.prices.map((listed) => ({
    priceList: list, listedAs: model.id, time: timeFromList(listed), rates: ratesFromList(listed), ofOverlay: false,
  })), atMs);
  return price === null ? null : shownPrice(price, { provider, host: null, inForce: true });
}
