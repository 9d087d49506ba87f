/** What the audit trail asks of the platform. */
import { ask, type Shown } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import { allows, type Asks } from '../../app/session.ts';
import { longListQuery } from '../../parts/long-list-query.ts';
import { keysQuery } from '../../shown/key-names.ts';

const path = '/platform/v1/audit';

export const auditQuery = longListQuery<Shown<'AuditEvent'>>({
  path,
  page: async (cursor, signal) => (await ask.GET(path, { params: { query: { limit: 100, cursor } }, signal })).data!,
});

export const auditAsks: Asks<PathSearch> = (_, session) => (allows(session, 'admin') ? [auditQuery, keysQuery] : []);
