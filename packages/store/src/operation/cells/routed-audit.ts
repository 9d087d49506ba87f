/**
 * The audit trail when there are cells: what was changed of an organization is in its cell, what was changed of its accounts is in the default
 * cell, and both are read as one list by time.
 */
import type { AuditEvent, AuditQuery, AuditTrail } from '../audit-trail.ts';
import type { Store } from './one-store.ts';
import type { RoutesOf } from './route.ts';

export const routedAudit: RoutesOf<AuditTrail> = {
  async note({ home, of }, intent, change) {
    const own = change.organization === null ? home : await of(change.organization);
    return own.audit.note(intent, change);
  },
  moment: 'home',
  async list({ home, of }, query) {
    const own = query.organization === null ? home : await of(query.organization);
    return own === home ? home.audit.list(query) : listOfBoth([own, home], query);
  },
};

async function listOfBoth(stores: readonly Store[], { after, ...query }: AuditQuery): Promise<AuditEvent[] | null> {
  const moments = after === undefined ? [] : await Promise.all(stores.map(({ audit }) => audit.moment(after, query.organization)));
  const place = after === undefined ? null : { id: after, atMs: moments.find((moment) => moment !== null) ?? null };
  if (place !== null && place.atMs === null) return null;
  const parts = await Promise.all(stores.map((store, index) => {
    // In the trail that holds it the list goes on behind that very row.
    if (place !== null && moments[index] !== null) return store.audit.list({ ...query, after: place.id });
    return store.audit.list(place === null ? query : { ...query, untilMs: place.atMs! });
  }));
  const events = parts.flatMap((part) => part ?? []).filter((event) => place === null || isAfter(event, place as Place));
  return events.sort((one, other) => (isAfter(other, one) ? -1 : 1)).slice(0, query.limit);
}

type Place = Pick<AuditEvent, 'id' | 'atMs'>;

/** Whether it comes later in a list that begins with the newest. */
function isAfter(event: Place, place: Place): boolean {
  return event.atMs < place.atMs || (event.atMs === place.atMs && event.id < place.id);
}
