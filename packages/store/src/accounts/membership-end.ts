/**
 * What ends with a membership: whatever ends or moves one goes through here, or through `membership-move.ts`. A later membership brings none of
 * it back. Decision 300.
 */
import { hasRightsOf, type Role } from '@metergate/core/account/role.ts';
import type { PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { endKeysOf, revisionOf, stopKeysOf, type MemberPlace } from './keys-of-people.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

/** Inside a change: the person does not belong to the organization any more, with their keys, caps, views and every way into it. */
export async function endMembership(context: StoreContext, transaction: Transaction<Schema>, place: MemberPlace): Promise<void> {
  await endKeysOf(context, transaction, place);
  await endWaysInto(context, transaction, place);
  for (const table of ['saved_view', 'membership'] as const) {
    await transaction.deleteFrom(table).where('organization', '=', place.organization).where('person', '=', place.person).execute();
  }
  await noteGuestChange(transaction, { ...place, change: 'end', becomes: null });
}

/** Whether keys of a member stop with this change of their role. Who was a viewer before keeps what an admin enabled for them. */
export function losesKeys(before: Role, role: Role): boolean {
  return hasRightsOf(before, 'member') && !hasRightsOf(role, 'member');
}

/** Inside a change of a role by which keys stop (`losesKeys`). */
export async function stopOwnKeys(context: StoreContext, transaction: Transaction<Schema>, place: MemberPlace): Promise<void> {
  await stopKeysOf(context, transaction, place);
  await noteGuestChange(transaction, { ...place, change: 'stop', becomes: null });
}

/**
 * Inside a change: sessions of the person in the organization, their management tokens, the invitations that they made, password links that its
 * owners made for them, and machines that they let in. Their sessions in other organizations stay.
 */
export async function endWaysInto(
  { clock }: StoreContext, transaction: Transaction<Schema>, { organization, person }: MemberPlace,
): Promise<void> {
  const at = clock();
  await transaction.deleteFrom('person_session').where('person', '=', person)
    // One of no organization opens the one that the person belongs to longest.
    .where((where) => where.or([where('organization', '=', organization), where('organization', 'is', null)])).execute();
  const tokens = await transaction.updateTable('management_token').set({ revoked_at_ms: at }).where('organization', '=', organization)
    .where('made_by_person', '=', person).where('revoked_at_ms', 'is', null).returning('id').execute();
  await transaction.updateTable('invitation').set({ withdrawn_at_ms: at }).where('organization', '=', organization)
    .where('invited_by', 'in', [person, ...tokens.map(({ id }) => id)])
    .where('accepted_at_ms', 'is', null).where('withdrawn_at_ms', 'is', null).execute();
  await transaction.deleteFrom('password_link').where('person', '=', person).where('made_in', '=', organization).execute();
  await transaction.deleteFrom('machine_sign_in').where('organization', '=', organization).where('person', '=', person)
    .where('state', '=', 'allowed').execute();
}

/** What another cell has to do about a person. `becomes`: whose it is to be, of a `move`. */
export interface GuestChange extends MemberPlace {
  /** The revision of the change in the default cell. */
  readonly made: number;
  readonly change: 'end' | 'move' | 'stop';
  readonly becomes: PersonId | null;
}

/** Inside a change of the default cell: what is to be done in the organization's own cell, if that is another one. */
export async function noteGuestChange(
  transaction: Transaction<Schema>, { organization, person, change, becomes }: Omit<GuestChange, 'made'>,
): Promise<void> {
  const place = await transaction.selectFrom('organization_place').select('cell').where('organization', '=', organization).executeTakeFirst();
  if (place === undefined) return;
  const row = { made: await revisionOf(transaction), organization, person, change, becomes };
  await transaction.insertInto('guest_change').values(row)
    .onConflict((conflict) => conflict.columns(['made', 'organization', 'person']).doUpdateSet({ change, becomes })).execute();
}
