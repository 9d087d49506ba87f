/** What the list of runs and the sheet of one ask of the platform. */
import { organizationQuery } from '../../api/asked-often.ts';
import { api, ask } from '../../api/client.ts';
import type { RunsSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';
import { longListQuery } from '../../parts/long-list-query.ts';
import { keysQuery } from '../../shown/key-names.ts';
import type { ListedRun } from './run-state.tsx';

const path = '/platform/v1/runs';

export const runsQuery = longListQuery<ListedRun>({
  path,
  againMs: 5_000,
  page: async (cursor, signal) => (await ask.GET(path, { params: { query: { limit: 100, cursor } }, signal })).data!,
});

export function storyQuery(id: string) {
  return api.queryOptions('get', '/platform/v1/runs/{id}/story', { params: { path: { id } } });
}

export const runsAsks: Asks<RunsSearch> = ({ run }, { organization }) => [
  runsQuery, organizationQuery(organization.id), ...(run === undefined ? [] : [storyQuery(run), keysQuery]),
];
