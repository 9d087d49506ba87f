/** What the page asks on which a machine signs in. */
import { api } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';

export function machineQuery(id: string) {
  return api.queryOptions('get', '/platform/v1/auth/machine-sign-ins/{id}', { params: { path: { id } } }, { retry: false });
}

export const connectAsks: Asks<PathSearch> = ({ id }) => (id === undefined ? [] : [machineQuery(id)]);
