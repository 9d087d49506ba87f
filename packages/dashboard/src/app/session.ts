/** Who is signed in, for which organization and in which role; what the role allows. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { AskedAhead } from '../api/ahead.ts';
import { organizationsQuery } from '../api/asked-often.ts';
import { api, queries, type Shown } from '../api/client.ts';

export type Session = Shown<'Session'>;
export type SessionRole = Session['role'];

const order: readonly SessionRole[] = ['viewer', 'member', 'admin', 'owner'];

export const sessionQuery = api.queryOptions('get', '/platform/v1/auth/session', {}, { staleTime: 60_000, retry: false });

/** What decides of a session what pages ask for. */
export interface KnownSession {
  readonly role: SessionRole;
  readonly operator: boolean;
  readonly organization: { readonly id: string };
}

/** What a page asks for when it opens at this address; nothing that the session may not have. */
export type Asks<Search> = (search: Search, session: KnownSession) => readonly AskedAhead[];

/** What the last visit of this browser knew of its session. The session itself is in a cookie that no script can read. */
const mark = 'metergate-signed-in';

export function wasSignedIn(): boolean {
  return localStorage.getItem(mark) !== null;
}

/** Null: this browser was not signed in, or its note says no more than that it was. */
export function sessionBefore(): KnownSession | null {
  try {
    const noted = JSON.parse(localStorage.getItem(mark) ?? 'null') as Partial<KnownSession> | null;
    return typeof noted?.organization?.id === 'string' && order.includes(noted.role!) ? (noted as KnownSession) : null;
  } catch {
    return null;
  }
}

/** Null: nobody is signed in. */
export function noteSession(session: Session | null): void {
  if (session === null) return localStorage.removeItem(mark);
  const { role, operator, organization: { id } } = session;
  localStorage.setItem(mark, JSON.stringify({ role, operator, organization: { id } } satisfies KnownSession));
}

/** Only usable inside the shell, where there is a session. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** The organizations that the person belongs to; empty until they are loaded. */
export function useOrganizations(): readonly { readonly id: string; readonly name: string }[] {
  return useQuery(organizationsQuery).data?.data ?? [];
}

export function allows({ role }: Pick<KnownSession, 'role'>, least: SessionRole): boolean {
  return order.indexOf(role) >= order.indexOf(least);
}

/** Whether the person may do what requires `role`. The platform checks again, whatever a page shows. */
export function useMay(role: SessionRole): boolean {
  return allows(useSession(), role);
}

/** Clears the cache: its answers belonged to another person or another organization. */
export async function beginAnew(): Promise<void> {
  queries.clear();
  noteSession(await queries.ensureQueryData(sessionQuery));
}
