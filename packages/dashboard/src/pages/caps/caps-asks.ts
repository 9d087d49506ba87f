/** What the page of caps and limits asks of the platform. */
import { capsQuery } from '../../api/asked-often.ts';
import { api } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import { allows, type Asks } from '../../app/session.ts';
import { keysQuery } from '../../shown/key-names.ts';
import { isoOf, searchedRange } from '../../shown/ranges.ts';

const reachedMax = 20;
/** The refused calls that are shown at first. */
export const refusedAtFirst = '7d';

export const limitsQuery = api.queryOptions('get', '/platform/v1/limits', {}, { staleTime: 60_000 });
/** For those who may see the audit. */
export const reachedQuery = api.queryOptions('get', '/platform/v1/audit', { params: { query: { action: 'capReached', limit: reachedMax } } });

/** `time`: a range by its name. */
export function refusedQuery(time: string) {
  return api.queryOptions('get', '/platform/v1/refusals', { params: { query: isoOf(searchedRange({ range: time }, Date.now())) } });
}

export const capsAsks: Asks<PathSearch> = (_, session) => [
  capsQuery, keysQuery, limitsQuery, refusedQuery(refusedAtFirst), ...(allows(session, 'admin') ? [reachedQuery] : []),
];
