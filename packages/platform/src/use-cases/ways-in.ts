/** A person's own account: every way into it, and ending each. Rule 16; decision 103. */
import { isoText } from '@metergate/core/time/iso-text.ts';
import { unknownWayIn, type WayIn, type WayKind } from '@metergate/store/accounts/ways-in.ts';
import type { Actor } from './actor.ts';
import type { UseCaseContext } from './context.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';

interface ShownWayIn {
  readonly id: string;
  readonly kind: WayKind;
  readonly organization: { readonly id: string; readonly name: string } | null;
  readonly issuer: string | null;
  readonly name: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** The session that makes the request. */
  readonly current: boolean;
}

/** Empty for a management token, which has no account. */
export async function listWaysIn({ store }: UseCaseContext, { id, session }: Actor): Promise<ShownWayIn[]> {
  return session === null ? [] : (await store.waysIn.list(id)).map((way) => shownWayIn(way, session));
}

/** Refuses `unknown_way_in`, `last_way_in`. */
export async function endWayIn(
  { store }: UseCaseContext, { id: person, session, organization }: Actor, way: string,
): Promise<ShownWayIn | AdministrationRefusal> {
  if (session === null) return unknownWayIn();
  const ended = await store.waysIn.end(person, way, { organization, session });
  return isRefusal(ended) ? ended : shownWayIn(ended, session);
}

function shownWayIn({ createdAtMs, expiresAtMs, ...way }: WayIn, session: string): ShownWayIn {
  return {
    ...way, createdAt: isoText(createdAtMs), expiresAt: isoText(expiresAtMs),
    current: way.id === session,
  };
}
