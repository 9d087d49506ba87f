/** A membership that becomes somebody else's, who proved to be the person. Decisions 103 and 300. */
import { roles } from '@metergate/core/account/role.ts';
import type { PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { moveKeys, type MemberPlace } from './keys-of-people.ts';
import { addMember } from './members.ts';
import { endWaysInto, noteGuestChange } from './membership-end.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

/**
 * Inside a change: the membership of `person` is that of `to` from now on, with its keys, caps and views. If `to` is a member already, the
 * stronger role counts. No way into the organization that was `person`'s opens it any more.
 */
export async function moveMembership(
  context: StoreContext, transaction: Transaction<Schema>, { to, ...place }: MemberPlace & { readonly to: PersonId },
): Promise<void> {
  const { organization, person } = place;
  const held = await transaction.deleteFrom('membership').where('organization', '=', organization).where('person', '=', person)
    .returning(['role', 'created_at_ms']).executeTakeFirst();
  if (held === undefined) return;
  await addMember(transaction, {
    organization, person: to, role: roles.find((role) => role === held.role) ?? 'viewer', atMs: Number(held.created_at_ms),
  });
  await moveKeys(transaction, { ...place, to });
  await transaction.updateTable('saved_view').set({ person: to }).where('organization', '=', organization).where('person', '=', person).execute();
  await endWaysInto(context, transaction, place);
  await noteGuestChange(transaction, { ...place, change: 'move', becomes: to });
}
