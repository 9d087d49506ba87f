/** What the page of providers asks of the platform. */
import { queryOptions } from '@tanstack/react-query';
import { productQuery, providersQuery } from '../../api/asked-often.ts';
import { api, ask, Refused, type Shown } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import { allows, type Asks } from '../../app/session.ts';

export type Upstream = Shown<'Upstream'>;

/** Null: none is declared, which is no fault: the form stays while it is asked for again. */
export const upstreamQuery = queryOptions({ queryKey: ['get', '/platform/v1/upstream', 'or null'], queryFn: declaredUpstream });
export const namedUpstreamsQuery = api.queryOptions('get', '/platform/v1/upstreams', { params: { query: { limit: 32 } } });

export async function declaredUpstream(): Promise<Upstream | null> {
  try {
    return (await ask.GET('/platform/v1/upstream')).data!;
  } catch (fault) {
    if (fault instanceof Refused && fault.code === 'upstream_not_declared') return null;
    throw fault;
  }
}

export const providersAsks: Asks<PathSearch> = (_, session) =>
  allows(session, 'admin') ? [providersQuery, productQuery, upstreamQuery, namedUpstreamsQuery] : [];
