/** What belongs to a member, and who may see and touch it. Who the members are is for admins to see. Decision 156. */
import { hasRightsOf } from '@metergate/core/account/role.ts';
import type { Actor } from '../../use-cases/actor.ts';
import { refuseInput, type AdministrationRefusal } from '../../use-cases/refusal.ts';

/** Others than admins see whether something is theirs, and not whose else it is. */
export function asSeenBy<Owned extends { readonly person: string | null }>(actor: Actor, owned: Owned): Owned {
  return hasRightsOf(actor.role, 'admin') || isOwn(actor, owned.person) ? owned : { ...owned, person: null };
}

/** Null: it is the actor's own, or nobody's, or an admin asks. The answer to others would tell who is a member. */
export function ofOthers(actor: Actor, person: string | null, doing: string): AdministrationRefusal | null {
  return person === null || hasRightsOf(actor.role, 'admin') || isOwn(actor, person) ? null
    : refuseInput('forbidden', `Only an admin may ${doing} somebody else.`);
}

/** Whether this email is the actor's. */
export function isOwn({ kind, name }: Actor, person: string | null): boolean {
  return kind === 'person' && person?.trim().toLowerCase() === name;
}
