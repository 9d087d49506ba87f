/** What the page of first steps asks of the platform. */
import { capsQuery, productQuery, providersQuery } from '../../api/asked-often.ts';
import { api } from '../../api/client.ts';
import type { StartSearch } from '../../app/page-search.ts';
import { allows, type Asks } from '../../app/session.ts';
import { keysQuery } from '../../shown/key-names.ts';

const first = { params: { query: { limit: 1 } } } as const;
/** The newest of each. */
export const firstCallQuery = api.queryOptions('get', '/platform/v1/calls', first);
export const firstRefusalQuery = api.queryOptions('get', '/platform/v1/refusals/log', first);

export const startAsks: Asks<StartSearch> = (_, session) => [
  productQuery, keysQuery, firstCallQuery, firstRefusalQuery, ...(allows(session, 'admin') ? [providersQuery, capsQuery] : []),
];
