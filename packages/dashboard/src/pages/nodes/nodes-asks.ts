/** What the page of gateway nodes asks of the platform. */
import { api } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';

export const nodesQuery = api.queryOptions('get', '/platform/v1/nodes', {});
export const proofQuery = api.queryOptions('get', '/platform/v1/figure-proof', {});

export const nodesAsks: Asks<PathSearch> = (_, { operator }) => (operator ? [nodesQuery, proofQuery] : []);
