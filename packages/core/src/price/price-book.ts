/**
 * The prices in force on a node: the frozen list and, before it, the operator's overlay. Rule 6.
 * Immutable except for its cache; a changed overlay makes a new book. An unknown model is null, never a price of zero.
 */
import { eachProvider, type Provider } from '../wire/wire.ts';
import type { Overlay } from './overlay.ts';
import { priceListId, type ListedProvider, type PriceList } from './price-list.ts';
import { catalogues, createSeller, listedPriceAt, overlayPriceAt, remember, type ModelPrice, type PriceSources, type Seller } from './seller.ts';

export type { ModelPrice } from './seller.ts';

/** Prices in force, ready for look-ups. */
export interface PriceBook {
  readonly context: PriceSources;
  /** A named provider's prices. */
  namedSeller(provider: Provider): Seller;
  /** Prices of a declared upstream: its host name, or its whole URL, which also tells apart sellers that share a host. */
  upstreamSeller(hostOrUrl: string): Seller;
  /** A seller of the list by its id there, with the host that calls go to; null: the list has no such id. */
  listedSeller(id: string, hostOrUrl: string): Seller | null;
  /** Every seller of the list, in its order. */
  listedSellers(): readonly Seller[];
}

/** An operator's overlay and the SHA-256, lower-case hexadecimal, of the text it was read from; this package computes none. */
export interface LoadedOverlay {
  readonly overlay: Overlay;
  readonly hash: string;
}

/** The book of a list and an overlay, or of the list alone. */
export function createPriceBook({ list, overlay }: { readonly list: PriceList; readonly overlay: LoadedOverlay | null }): PriceBook {
  const context: PriceSources = {
    list,
    listId: priceListId(list),
    overlay: overlay?.overlay ?? null,
    overlayId: overlay === null ? null : overlayListId(overlay.hash),
  };
  const catalogueOf = catalogues(list);
  const sellerOf = (provider: ListedProvider | null, host: string | null): Seller =>
    createSeller(context, catalogueOf, { provider, host });
  const named = eachProvider((provider) => sellerOf(providerById(list, provider), null));
  const hosts = list.providers.map(hostTest);
  const upstreams = new Map<string, Seller>();
  return {
    context,
    namedSeller: (provider) => named[provider],
    upstreamSeller(hostOrUrl) {
      const known = upstreams.get(hostOrUrl);
      if (known !== undefined) return known;
      const address = addressOf(hostOrUrl);
      const index = hosts.findIndex((test) => test(address));
      return remember(upstreams, hostOrUrl, sellerOf(list.providers[index] ?? null, address.host));
    },
    listedSeller(id, hostOrUrl) {
      const provider = list.providers.find((each) => each.id === id);
      if (provider === undefined) return null;
      const name = `${id} ${hostOrUrl}`;
      return upstreams.get(name) ?? remember(upstreams, name, sellerOf(provider, addressOf(hostOrUrl).host));
    },
    listedSellers: () => list.providers.map((provider) => sellerOf(provider, null)),
  };
}

/** `overlay/` and the first 16 digits of the hash, as every record priced by the overlay carries it. */
function overlayListId(hash: string): string {
  return `overlay/${hash.slice(0, 16)}`;
}

/** Which model of which seller, and when: `atMs` is the call's admission, milliseconds since the epoch. */
export interface PriceQuery {
  /** Null with an upstream's host: the call went to a declared upstream. */
  readonly provider: Provider | null;
  readonly upstreamHost: string | null;
  /** The provider of the list that it was declared to be; null or absent: its host tells. */
  readonly listedAs?: string | null;
  readonly model: string;
  readonly atMs: number;
}

/** The price of the overlay and that of the list, each null if it has none: `cost.ts` decides which takes precedence. */
export function pricesOf(book: PriceBook, query: PriceQuery): { readonly overlay: ModelPrice | null; readonly list: ModelPrice | null } {
  const seller = sellerFor(book, query);
  if (seller === null) return { overlay: null, list: null };
  const found = seller.find(query.model);
  return { overlay: overlayPriceAt(found.overlay, query.atMs), list: listedPriceAt(found.list, query.atMs) };
}

function sellerFor(book: PriceBook, { provider, upstreamHost, listedAs }: PriceQuery): Seller | null {
  if (provider !== null) return book.namedSeller(provider);
  if (upstreamHost !== null && typeof listedAs === 'string') return book.listedSeller(listedAs, upstreamHost);
  return upstreamHost === null ? null : book.upstreamSeller(upstreamHost);
}

function providerById(list: PriceList, id: Provider): ListedProvider | null {
  return list.providers.find((provider) => provider.id === id) ?? null;
}

interface Address {
  readonly host: string;
  readonly path: string;
}

/** Host name in lower case, without port and closing dot, and the path, from a host, `host:port` or a URL. */
function addressOf(hostOrUrl: string): Address {
  const match = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(\[[^\]]*\]|[^/:?#]*)(?::\d*)?([^?#]*)/i.exec(hostOrUrl);
  return { host: (match?.[1] ?? '').toLowerCase().replace(/\.$/, ''), path: match?.[2] ?? '' };
}

/** The whole host must match, so that `api.openai.com.example.net` is not taken for `api.openai.com`. */
function hostTest(provider: ListedProvider): (address: Address) => boolean {
  // oxlint-disable-next-line linear/expressions -- the price list is the product's own; a test holds its expressions to the rule
  const host = new RegExp(`^(?:${provider.host})$`);
  // oxlint-disable-next-line linear/expressions -- the price list is the product's own; a test holds its expressions to the rule
  const path = provider.path === undefined ? null : new RegExp(`^(?:${provider.path})(?:/|$)`);
  return (address) => host.test(address.host) && (path === null || path.test(address.path));
}
