/**
 * What belongs to a member, and who may see and touch it. Who the members are, and what each of them spent, is for admins to see. Decisions 156, 240
 * and 302.
 */
import { hasRightsOf } from '@metergate/core/account/role.ts';
import type { Actor } from '../../use-cases/actor.ts';
import { refuseInput, type AdministrationRefusal } from '../../use-cases/refusal.ts';

/** Others than admins see whether something is theirs, and not whose else it is. */
export function asSeenBy<Owned extends { readonly person: string | null }>(actor: Actor, owned: Owned): Owned {
  return seesPeople(actor) || isOwn(actor, owned.person) ? owned : { ...owned, person: null };
}

/** Whether the actor may see whose things are, and what each person spent. */
export function seesPeople({ role }: Actor): boolean {
  return hasRightsOf(role, 'admin');
}

/** What was spent of something that is for one person: admins see it, and the person. `person`: an email; null: its account is gone. */
export function seesSpendOf(actor: Actor, { scope, person }: { readonly scope: string; readonly person: string | null }): boolean {
  return scope !== 'person' || seesPeople(actor) || isOwn(actor, person);
}

/** Null: it is the actor's own, or nobody's, or an admin asks. The answer to others would tell who is a member. */
export function ofOthers(actor: Actor, person: string | null, doing: string): AdministrationRefusal | null {
  return person === null || seesPeople(actor) || isOwn(actor, person) ? null
    : refuseInput('forbidden', `Only an admin may ${doing} somebody else.`);
}

/** Whether this email is the actor's. */
function isOwn({ kind, name }: Actor, person: string | null): boolean {
  return kind === 'person' && person?.trim().toLowerCase() === name;
}
