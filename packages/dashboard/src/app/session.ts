/** Who is signed in, for which organization and in which role; what the role allows. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { AskedAhead } from '../api/ahead.ts';
import { organizationsQuery } from '../api/asked-often.ts';
import { api, ask, isOvertaken, queries, type Shown } from '../api/client.ts';

export type Session = Shown<'Session'>;
export type SessionRole = Session['role'];

const order: readonly SessionRole[] = ['viewer', 'member', 'admin', 'owner'];

export const sessionQuery = api.queryOptions('get', '/platform/v1/auth/session', {}, {
  staleTime: 60_000,
  retry: (_count, fault) => isOvertaken(fault),
});

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

/** The id of the organization that this document shows; null on the pages that take no session. */
let shownOrganization: string | null = null;

/** Null: nobody is signed in. */
export function noteSession(session: Session | null): void {
  shownOrganization = session?.organization.id ?? null;
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

/**
 * Switches the session to another organization of the person. The document is loaded anew: the pages that are open would go on showing
 * what they have of the organization before.
 */
export async function enterOrganization(id: string): Promise<void> {
  await ask.POST('/platform/v1/auth/organization', { body: { organization: id } });
  // First: the new document asks ahead for what the noted role may have, and other tabs learn of the switch by the note.
  noteSession(await ask.GET('/platform/v1/auth/session').then(({ data }) => data ?? null, () => null));
  location.assign('/');
}

/**
 * All tabs have one session. If another tab switches the organization, this one leaves what it shows: its forms would change the other
 * organization under the name of this one. So does a document that the browser kept and shows again.
 */
export function followOtherTabs(): void {
  const follow = (): void => {
    const noted = sessionBefore();
    if (noted !== null && shownOrganization !== null && noted.organization.id !== shownOrganization) location.assign('/');
  };
  addEventListener('storage', ({ key }) => {
    if (key === mark) follow();
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) follow();
  });
}

/** After the session has ended: forgets it, goes to a page that takes none, and clears the cache, whose answers were for it. */
export async function leaveSession(go: () => Promise<void> | void): Promise<void> {
  noteSession(null);
  await go();
  queries.clear();
}
