/**
 * Who has proved an email, and what ends when somebody does. Rule 16; decision 103.
 * An email that is not proved to the deployment is only claimed: it opens and reserves nothing, and several people may claim the same one,
 * each apart from the others. A link that the operator handed out and an identity provider that verified the email prove it. Whoever proves it
 * becomes the one person with it, receives the memberships of those who only claimed it, and every way in that was made without that
 * proof ends: passwords, identities, sessions, management tokens and open invitations.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import type { Schema } from '../schema/schema.ts';
import { moveKeys } from './keys-of-people.ts';
import { moveMembership } from './membership-move.ts';
import { endLessProved, endSessions, proofs } from './proofs.ts';

interface Proving {
  readonly person: PersonId;
  readonly email: string;
  /** The credential that was shown together with the proof: it stays, and is proved by it. Null: none was. */
  readonly shown: string | null;
}

/** Inside a change: the email is this person's from now on. Whoever else holds it must be that person. */
export async function proveEmail(context: StoreContext, transaction: Transaction<Schema>, { person, email, shown }: Proving): Promise<void> {
  const { claimed_email: claimed } = await transaction.selectFrom('person').select('claimed_email')
    .where('id', '=', person).executeTakeFirstOrThrow();
  if (shown !== null) {
    await transaction.updateTable('person_credential').set({ proof: proofs.deployment })
      .where('person', '=', person).where('provider', '=', shown).execute();
  }
  await endLessProved(context, transaction, { person, than: 'deployment' });
  const others = await transaction.selectFrom('person').select('id').where('claimed_email', '=', email).where('id', '<>', person)
    .orderBy('created_at_ms').orderBy('id').execute();
  for (const { id } of others) await gather(context, transaction, { from: id as PersonId, to: person });
  if (claimed === null) return;
  await endSessions(transaction, person);
  await transaction.updateTable('person').set({ email, claimed_email: null, email_verified: 1, updated_at_ms: context.clock() })
    .where('id', '=', person).execute();
}

/** Whether a proof of this email would change anything for the person who holds it. */
export async function isProvedThroughout(db: Transaction<Schema>, { person, email }: Omit<Proving, 'shown'>): Promise<boolean> {
  const weak = await db.selectFrom('person_credential').select('id')
    .where('person', '=', person).where('proof', '<', BigInt(proofs.deployment)).executeTakeFirst();
  if (weak !== undefined) return false;
  return await db.selectFrom('person').select('id').where('claimed_email', '=', email).limit(1).executeTakeFirst() === undefined;
}

/** The memberships of someone who only claimed the email become those of the person who proved it; nothing else of them stays. */
async function gather(
  context: StoreContext, transaction: Transaction<Schema>, { from, to }: { readonly from: PersonId; readonly to: PersonId },
): Promise<void> {
  await endLessProved(context, transaction, { person: from, than: 'deployment' });
  const held = await transaction.selectFrom('membership').select('organization').where('person', '=', from).execute();
  await transaction.deleteFrom('saved_view').where('person', '=', from).execute();
  for (const { organization } of held) {
    await moveMembership(context, transaction, { organization: organization as OrganizationId, person: from, to });
  }
  // Those that ended with an earlier membership: their figures are the person's.
  const ended = await transaction.selectFrom('service_key').select('organization').distinct().where('person', '=', from).execute();
  for (const { organization } of ended) await moveKeys(transaction, { organization: organization as OrganizationId, person: from, to });
  await transaction.deleteFrom('person').where('id', '=', from).execute();
}
