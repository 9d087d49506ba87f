/**
 * How far each way into an account is proved to be that of the email's owner, and what ends with those that are not. Rule 16; decisions 103 and 321.
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

interface Ending {
  readonly person: PersonId;
  readonly than: Proof;
  /** A credential that was shown just now: it stays. Null: none was. */
  readonly shown?: string | null;
}

/**
 * Inside a change: ends the person's credentials that are less proved, and what was made through them: the memberships that such an
 * identity gave, every session, and the tokens and open invitations since the first of them was made. Returns the credentials that ended.
 */
export async function endLessProved(
  context: StoreContext, transaction: Transaction<Schema>, { person, than, shown = null }: Ending,
): Promise<readonly string[]> {
  const less = transaction.deleteFrom('person_credential').where('person', '=', person).where('proof', '<', BigInt(proofs[than]));
  const ended = await (shown === null ? less : less.where('provider', '<>', shown)).returning(['provider', 'created_at_ms']).execute();
  const ways = ended.map(({ provider }) => provider);
  if (ended.length === 0) return ways;
  const issuers = ways.filter((way) => providedWay.test(way)).map((way) => way.replace(providedWay, ''));
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
  return ways;
}

/**
 * Inside a change, before the person is given a membership: what is proved to an organization alone opens no other one, unless it is shown at
 * that moment, nor do sessions of ways in that ended before. Decision 321. Returns the credentials that ended; none for who belongs to the
 * organization already.
 */
export async function endUnshown(
  context: StoreContext, transaction: Transaction<Schema>,
  { organization, person, shown }: { readonly organization: OrganizationId; readonly person: PersonId; readonly shown: string | null },
): Promise<readonly string[]> {
  const there = await transaction.selectFrom('membership').select('person')
    .where('organization', '=', organization).where('person', '=', person).executeTakeFirst();
  if (there !== undefined) return [];
  const ended = await endLessProved(context, transaction, { person, than: 'deployment', shown });
  await endSessionsOfEndedWays(transaction, person);
  return ended;
}

/** Whoever ends a way in keeps their own session, which may have begun with it. */
async function endSessionsOfEndedWays(transaction: Transaction<Schema>, person: PersonId): Promise<void> {
  const left = (await transaction.selectFrom('person_credential').select('provider').where('person', '=', person).execute())
    .map(({ provider }) => provider);
  const sessions = await transaction.selectFrom('person_session').select(['id', 'provided_by']).where('person', '=', person).execute();
  const ended = sessions.filter(({ provided_by: by }) => !left.includes(by === null ? passwordWay : providedWayOf(by)));
  for (const { id } of ended) await transaction.deleteFrom('person_session').where('id', '=', id).execute();
}

/** Whether an earlier version kept such a credential when a provider gave the person a later membership. */
export async function hasUnshown(db: Transaction<Schema>, person: PersonId): Promise<boolean> {
  return await db.selectFrom('person_credential as c').innerJoin('membership as m', 'm.person', 'c.person').select('c.id')
    .where('c.person', '=', person).where('c.proof', '<', BigInt(proofs.deployment))
    .where('m.provided_by', 'is not', null).whereRef('m.created_at_ms', '>=', 'c.created_at_ms').executeTakeFirst() !== undefined;
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
