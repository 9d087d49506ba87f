/** Where calls to an organization's declared upstreams would go now, by the name in their path. Which URL a call went to, its record does not say. */
import { upstreamNameOf } from '@metergate/core/call/named-upstream.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import type { DeclaredSeller } from '@metergate/core/price/recorded-parts.ts';
import type { UseCaseContext } from '../context.ts';

interface DeclaredSellers {
  /** By a path as records have it; of any that leads to no named upstream, the one without a name. */
  ofPath(path: string): DeclaredSeller;
  /** By name; null: the one without. */
  named(name: string | null): DeclaredSeller;
}

const nowhere: DeclaredSeller = Object.freeze({ upstreamUrl: null, listedAs: null });

export async function declaredSellers({ store }: UseCaseContext, organization: OrganizationId): Promise<DeclaredSellers> {
  const unnamed = { upstreamUrl: (await store.upstreams.show(organization))?.url ?? null, listedAs: null };
  const all = new Map((await store.namedUpstreams.list(organization))
    .map(({ name, url, provider }): [string, DeclaredSeller] => [name, { upstreamUrl: url, listedAs: provider }]));
  const named = (name: string | null): DeclaredSeller => (name === null ? unnamed : all.get(name) ?? nowhere);
  return { named, ofPath: (path) => named(upstreamNameOf(path)) };
}

/** When the upstreams of now were declared as they are, by a path as records have it; null: its upstream is gone, or nobody knows. */
export async function declaredAt({ store }: UseCaseContext, organization: OrganizationId): Promise<(path: string) => number | null> {
  const last = async (action: 'declareUpstream' | 'declareNamedUpstream', subject: string): Promise<number | null> =>
    (await store.audit.list({ organization, action, subject, limit: 1 }))?.[0]?.atMs ?? null;
  const unnamed = await last('declareUpstream', 'upstream');
  const all = new Map<string, number | null>();
  for (const { name } of await store.namedUpstreams.list(organization)) all.set(name, await last('declareNamedUpstream', name));
  return (path) => {
    const name = upstreamNameOf(path);
    return name === null ? unnamed : all.get(name) ?? null;
  };
}

/** What the list calls the provider that a declared upstream is; null: it is not in the list. */
export function providerNameOf({ upstreamUrl, listedAs }: DeclaredSeller, book: PriceBook): string | null {
  if (upstreamUrl === null) return null;
  const seller = listedAs === null ? book.upstreamSeller(upstreamUrl) : book.listedSeller(listedAs, upstreamUrl);
  return seller?.provider?.name ?? null;
}
