/**
 * How far each way into an account is proved to be that of the email's owner, and what ends with those that are not. Rule 16; decision 103.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { endMembership } from './membership-end.ts';
import type { StoreContext } from '../sealing/context.ts';
import type { Schema } from '../schema/schema.ts';

/**
 * How far a credential is proved to be that of the email's owner. `none`: a provider's that never verified the email. `organization`: by a
 * link that an organization handed out, which proves it to that organization alone. `deployment`: by the operator's link, or by the provider.
 */
export const proofs = { none: 0, organization: 1, deployment: 2 } as const;

export type Proof = keyof typeof proofs;

/** What a credential with a password is called; a provider's is `oidc ISSUER`. */
export const passwordWay = 'credential';
const providedWay = /^oidc /;

/** What a credential of this issuer is called. */
export function providedWayOf(issuer: string): string {
  return `oidc ${issuer}`;
}

/**
 * Inside a change: ends the person's credentials that are less proved, and what was made through them: the memberships that such an
 * identity gave, every session, and the tokens and open invitations since the first of them was made.
 */
export async function endLessProved(
  context: StoreContext, transaction: Transaction<Schema>, { person, than }: { readonly person: PersonId; readonly than: Proof },
): Promise<void> {
  const ended = await transaction.deleteFrom('person_credential').where('person', '=', person).where('proof', '<', BigInt(proofs[than]))
    .returning(['provider', 'created_at_ms']).execute();
  if (ended.length === 0) return;
  const issuers = ended.map(({ provider }) => provider).filter((way) => providedWay.test(way)).map((way) => way.replace(providedWay, ''));
  if (issuers.length > 0) {
    const left = await transaction.selectFrom('membership').select('organization').where('person', '=', person)
      .where('provided_by', 'in', issuers).execute();
    for (const { organization } of left) await endMembership(context, transaction, { organization: organization as OrganizationId, person });
  }
  await endSessions(transaction, person);
  await transaction.deleteFrom('password_link').where('person', '=', person).execute();
  const sinceMs = ended.map(({ created_at_ms: at }) => BigInt(at)).reduce((a, b) => (a < b ? a : b));
  const at = context.clock();
  await transaction.updateTable('management_token').set({ revoked_at_ms: at })
    .where('made_by_person', '=', person).where('revoked_at_ms', 'is', null).where('created_at_ms', '>=', sinceMs).execute();
  await transaction.updateTable('invitation').set({ withdrawn_at_ms: at }).where('invited_by', '=', person)
    .where('accepted_at_ms', 'is', null).where('withdrawn_at_ms', 'is', null).where('created_at_ms', '>=', sinceMs).execute();
}

/** Inside a change: every session of the person ends, and what they let machines take that is not taken. */
export async function endSessions(transaction: Transaction<Schema>, person: PersonId): Promise<void> {
  await endAllowedSignIns(transaction, person);
  await transaction.deleteFrom('person_session').where('person', '=', person).execute();
}

/** Inside a change: no machine takes a key that this person has allowed and that is not taken. */
export async function endAllowedSignIns(transaction: Transaction<Schema>, person: string): Promise<void> {
  await transaction.deleteFrom('machine_sign_in').where('person', '=', person).where('state', '=', 'allowed').execute();
}
