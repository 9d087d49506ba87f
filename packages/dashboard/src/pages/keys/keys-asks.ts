/** What the list of service keys asks of the platform. */
import { organizationQuery } from '../../api/asked-often.ts';
import { api } from '../../api/client.ts';
import { wholeListQuery } from '../../api/whole-list.ts';
import type { PathSearch } from '../../app/page-search.ts';
import { allows, type Asks } from '../../app/session.ts';
import { keysQuery } from '../../shown/key-names.ts';
import { isoOf, searchedRange } from '../../shown/ranges.ts';

/** What each key spent this month. */
export function spentQuery() {
  return wholeListQuery('/platform/v1/usage', { by: 'key', ...isoOf(searchedRange({ range: 'month' }, Date.now())) });
}

/** What happened to a key, for those who may see the audit. */
export function keyHistoryQuery(id: string) {
  return api.queryOptions('get', '/platform/v1/audit', { params: { query: { subject: id, limit: 100 } } });
}

export const keysAsks: Asks<PathSearch> = ({ id }, session) => [
  keysQuery, spentQuery(), organizationQuery(session.organization.id),
  ...(id !== undefined && allows(session, 'admin') ? [keyHistoryQuery(id)] : []),
];
