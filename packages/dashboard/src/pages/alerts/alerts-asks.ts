/** What the page of alerts and webhooks asks of the platform. */
import { capsQuery } from '../../api/asked-often.ts';
import { api } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';
import { keysQuery } from '../../shown/key-names.ts';

export const alertsQuery = api.queryOptions('get', '/platform/v1/alerts');
export const webhooksQuery = api.queryOptions('get', '/platform/v1/webhooks');

export function deliveriesQuery(id: string) {
  return api.queryOptions('get', '/platform/v1/webhooks/{id}/deliveries', { params: { path: { id } } });
}

export const alertsAsks: Asks<PathSearch> = ({ id }) => [
  webhooksQuery, alertsQuery, capsQuery, keysQuery, ...(id === undefined ? [] : [deliveriesQuery(id)]),
];
