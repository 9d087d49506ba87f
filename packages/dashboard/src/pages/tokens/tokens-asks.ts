/** What the page of management tokens asks of the platform. */
import { api } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import { allows, type Asks } from '../../app/session.ts';

export const tokensQuery = api.queryOptions('get', '/platform/v1/tokens', { params: { query: { limit: 1_000 } } });

export const tokensAsks: Asks<PathSearch> = (_, session) => (allows(session, 'admin') ? [tokensQuery] : []);
