/** What the log of refusals asks of the platform. */
import { api, ask, type Shown } from '../../api/client.ts';
import type { RefusalsSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';
import { longListQuery } from '../../parts/long-list-query.ts';
import { keysQuery } from '../../shown/key-names.ts';

const path = '/platform/v1/refusals/log';

export function refusalLogQuery({ request, key, run, code }: RefusalsSearch) {
  const filters = { request, key, run, code };
  return longListQuery<Shown<'Refusal'>>({
    path,
    filters,
    againMs: 5_000,
    page: async (cursor, signal) => (await ask.GET(path, { params: { query: { ...filters, limit: 100, cursor } }, signal })).data!,
  });
}

export function refusalQuery(id: string) {
  return api.queryOptions('get', '/platform/v1/refusals/log/{id}', { params: { path: { id } } });
}

export const refusalsAsks: Asks<RefusalsSearch> = (search) => [
  refusalLogQuery(search), ...(search.id === undefined ? [] : [refusalQuery(search.id)]), keysQuery,
];
