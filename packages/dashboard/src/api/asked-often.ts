/** What several pages ask the platform. Each request is defined once, so that it can be sent ahead and is answered once for all of them. */
import { api } from './client.ts';
import { wholeListQuery } from './whole-list.ts';

export const capsQuery = wholeListQuery('/platform/v1/caps');
export const membersQuery = wholeListQuery('/platform/v1/members');
export const organizationsQuery = api.queryOptions('get', '/platform/v1/organizations', {}, { staleTime: 60_000 });
export const providersQuery = api.queryOptions('get', '/platform/v1/providers');
/** What this installation is, which does not change while it runs. */
export const productQuery = api.queryOptions('get', '/platform/v1/product', {}, { staleTime: Infinity });

/** `id`: the session's organization. */
export function organizationQuery(id: string) {
  return api.queryOptions('get', '/platform/v1/organizations/{id}', { params: { path: { id } } }, { staleTime: 60_000 });
}
