/** Who is signed in, for which organization and in which role; what the role allows. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { api, queries, type Shown } from '../api/client.ts';

export type Session = Shown<'Session'>;
export type SessionRole = Session['role'];

const order: readonly SessionRole[] = ['viewer', 'member', 'admin', 'owner'];

export const sessionQuery = api.queryOptions('get', '/platform/v1/auth/session', {}, { staleTime: 60_000, retry: false });

/** Notes that this browser was signed in. The session itself is in a cookie that no script can read. */
const mark = 'metergate-signed-in';

export function wasSignedIn(): boolean {
  return localStorage.getItem(mark) !== null;
}

export function rememberSignedIn(signedIn: boolean): void {
  if (signedIn) localStorage.setItem(mark, '1');
  else localStorage.removeItem(mark);
}

/** Only usable inside the shell, where there is a session. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** The organizations that the person belongs to; empty until they are loaded. */
export function useOrganizations(): readonly { readonly id: string; readonly name: string }[] {
  return api.useQuery('get', '/platform/v1/organizations', {}, { staleTime: 60_000 }).data?.data ?? [];
}

/** Whether the person may do what requires `role`. The platform checks again, whatever a page shows. */
export function useMay(role: SessionRole): boolean {
  return order.indexOf(useSession().role) >= order.indexOf(role);
}

/** Clears the cache: its answers belonged to another person or another organization. */
export async function beginAnew(): Promise<void> {
  queries.clear();
  await queries.ensureQueryData(sessionQuery);
}
