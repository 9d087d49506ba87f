/**
 * A public price list, in its own form → the deployment's list. Rule 6; rules: `prices import`. It is read and checked as a whole before anything
 * is stored. Known faults of the list are mended where it still has them (decision 131).
 */
import { parseOverlay } from '@metergate/core/price/overlay.ts';
import { priceList, priceListId, type ListedProvider, type PriceList } from '@metergate/core/price/price-list.ts';
import { listOf } from '@metergate/core/price/price-texts.ts';
import { PublicListFault } from '@metergate/core/price/public-list/fault.ts';
import { listChanges, type ListChange } from '@metergate/core/price/public-list/list-changes.ts';
import { mended } from '@metergate/core/price/public-list/mends.ts';
import { publicSellers } from '@metergate/core/price/public-list/public-list.ts';
import { providers } from '@metergate/core/wire/wire.ts';
import type { UseCaseContext } from './context.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { sha256Of } from './sha256.ts';

/** A list as people are shown it. */
interface ShownPriceList {
  /** The name that every record priced by it carries. */
  readonly id: string;
  /** Where it is from. */
  readonly source: string;
  readonly version: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** `list`: the day is that of its release. `import`: that of its import, since its own is not known. */
  readonly dated: 'list' | 'import';
  readonly hash: string;
  readonly models: number;
}

/** What an import changes. Lists are null if the shipped list is meant. */
export interface PriceImport {
  readonly list: PriceList;
  readonly before: ShownPriceList;
  readonly after: ShownPriceList;
  readonly changes: readonly ListChange[];
}

/** A text with its origin: a file's name, or a feed's address. */
interface PublicListText {
  readonly text: string;
  readonly source: string;
  /** The list's own day, `YYYY-MM-DD`; left out: it is not known, for public lists name none. */
  readonly date?: string | undefined;
}

/** 32 MiB of text: a list of today has half a mebibyte. */
export const publicListMax = 32 * 1024 * 1024;

/** What importing a text would change. Stores nothing. Refuses `invalid_price_list`. */
export async function planImport(context: UseCaseContext, given: PublicListText): Promise<PriceImport | AdministrationRefusal> {
  const texts = await context.store.prices.texts();
  const list = listFrom(given, new Date(context.nowMs).toISOString().slice(0, 10));
  if (isRefusal(list)) return list;
  return planned(context, { before: listOf(texts.list), after: list, overlay: texts.overlay });
}

/** What going back to the shipped list would change. */
export async function planShipped(context: UseCaseContext): Promise<PriceImport | AdministrationRefusal> {
  const texts = await context.store.prices.texts();
  return planned(context, { before: listOf(texts.list), after: priceList, overlay: texts.overlay });
}

function planned(
  { nowMs }: UseCaseContext, { before, after, overlay }: { readonly before: PriceList; readonly after: PriceList; readonly overlay: string | null },
): PriceImport | AdministrationRefusal {
  const own = overlay === null ? null : parseOverlay(overlay, after);
  if (own !== null && 'refusal' in own) {
    return refuseInput('invalid_price_list', `Your own loaded prices do not go with this list: ${own.refusal}`);
  }
  const same = sellersText(before.providers) === sellersText(after.providers);
  // The same prices, of which only now is known of what day they are, are a list of their own.
  const dates = after.dated === 'list' && datedBy(before) === 'import';
  const list = same && !dates ? before : after;
  return { list, before: shownList(before), after: shownList(list), changes: same ? [] : listChanges(before, after, nowMs) };
}

/** Puts the planned list in force; an equal one changes nothing. */
export async function importList({ store }: UseCaseContext, { list, before, after }: PriceImport): Promise<void> {
  if (before.id === after.id) return;
  if (after.hash === priceList.hash) await store.prices.leaveList();
  else await store.prices.importList({ id: after.id, json: JSON.stringify(list) });
}

/** The list in force, and the name of the operator's own prices before it. */
export async function showPricesInForce({ store }: UseCaseContext): Promise<{
  readonly list: ShownPriceList & { readonly shipped: boolean }; readonly overlay: string | null;
}> {
  const { overlay } = await store.prices.texts();
  return { list: await showListInForce({ store }), overlay: overlay === null ? null : `overlay/${sha256Of(overlay).slice(0, 16)}` };
}

/** The list in force, and whether it is the shipped one. */
export async function showListInForce(
  { store }: { readonly store: UseCaseContext['store'] | null },
): Promise<ShownPriceList & { readonly shipped: boolean }> {
  const list = listOf(store === null ? null : (await store.prices.texts()).list);
  return { ...shownList(list), shipped: list.hash === priceList.hash };
}

/** A public list's text as a list of ours. `today`: its date, if its own is not given. Refuses `invalid_price_list`. */
export function listFrom({ text, source, date: own }: PublicListText, today: string): PriceList | AdministrationRefusal {
  if (text.length > publicListMax) return refuseInput('invalid_price_list', `The price list is larger than ${publicListMax} characters.`);
  let sellers: readonly ListedProvider[];
  try {
    sellers = mended(publicSellers(JSON.parse(text) as unknown));
  } catch (error) {
    if (error instanceof SyntaxError) return refuseInput('invalid_price_list', 'The price list is not valid JSON.');
    if (error instanceof PublicListFault) return refuseInput('invalid_price_list', `The price list cannot be used: ${error.message}`);
    throw error;
  }
  const missing = providers.find((provider) => !sellers.some(({ id, models }) => id === provider && models.length > 0));
  if (missing !== undefined) return refuseInput('invalid_price_list', `The price list has no models of ${missing}. Its calls would have no price.`);
  const dated = own === undefined ? 'import' : 'list';
  const content = { source: { package: source, version: sha256Of(text).slice(0, 16) }, date: own ?? today, dated, providers: sellers } as const;
  return { source: content.source, date: content.date, dated, hash: sha256Of(JSON.stringify(content)), providers: sellers };
}

function shownList(list: PriceList): ShownPriceList {
  const models = list.providers.reduce((sum, seller) => sum + seller.models.length, 0);
  const { source, date, hash } = list;
  return { id: priceListId(list), source: source.package, version: source.version, date, dated: datedBy(list), hash, models };
}

function datedBy(list: PriceList): ShownPriceList['dated'] {
  return list.hash === priceList.hash ? 'list' : list.dated ?? 'import';
}

function sellersText(sellers: readonly ListedProvider[]): string {
  return JSON.stringify(sellers);
}
