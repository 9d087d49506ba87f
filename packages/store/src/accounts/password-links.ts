/**
 * One-time links for setting a person's password. Rule 16. Only the SHA-256 of a link's token is kept; a newer link of the same
 * person makes the older ones void, and using one ends every session of the person.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { memberIn } from './members.ts';
import { personByEmail } from './people.ts';
import { refuse, type StoreRefusal } from '../refusal.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../context.ts';

export interface NewPasswordLink {
  /** SHA-256 of the link's token, lower-case hexadecimal. */
  readonly tokenHash: string;
  readonly expiresAtMs: number;
}

export interface LinkedPerson {
  readonly id: PersonId;
  readonly email: string;
  /** One organization of theirs, for the audit trail; null: they belong to none. */
  readonly organization: OrganizationId | null;
}

export interface PasswordLinks {
  /** For the operator: of whoever has this email. Refuses `unknown_person`. */
  makeFor(email: string, link: NewPasswordLink): Promise<LinkedPerson | StoreRefusal>;
  /**
   * For an owner: of a member who belongs to no other organization, since the password opens every organization of a person.
   * Refuses `unknown_member`, `forbidden`.
   */
  makeForMember(organization: OrganizationId, person: string, link: NewPasswordLink): Promise<LinkedPerson | StoreRefusal>;
  /** Whose the link is; null if it is used, expired or unknown. */
  find(tokenHash: string): Promise<LinkedPerson | null>;
  /** Sets the password, uses the link up and ends all sessions. Refuses `password_link_not_valid`. */
  use(tokenHash: string, passwordHash: string): Promise<LinkedPerson | StoreRefusal>;
}

export function passwordLinksIn({ engine, clock }: StoreContext): PasswordLinks {
  const keep = async (transaction: Transaction<Schema>, person: PersonId, { tokenHash, expiresAtMs }: NewPasswordLink): Promise<void> => {
    await transaction.deleteFrom('password_link').where('person', '=', person).execute();
    await transaction.insertInto('password_link').values({ token_hash: tokenHash, person, expires_at_ms: expiresAtMs }).execute();
  };
  const named = (action: 'makePasswordLink' | 'usePasswordLink') => ({ id, email, organization }: LinkedPerson) =>
    ({ action, organization, subject: id, ...(action === 'usePasswordLink' ? { person: { id, email } } : {}) });
  return {
    makeFor: (email, link) => engine.change<LinkedPerson>(async (transaction) => {
      const person = await personByEmail(transaction, email);
      if (person === null) return refuse('unknown_person', 'There is no user with this email.');
      await keep(transaction, person.id, link);
      return linkedPerson(transaction, person);
    }, named('makePasswordLink')),
    makeForMember: (organization, person, link) => engine.change<LinkedPerson>(async (transaction) => {
      const member = await memberIn(transaction, organization, person);
      if (member === null) return refuse('unknown_member', 'There is no such member.');
      const elsewhere = await transaction.selectFrom('membership').select('organization')
        .where('person', '=', person).where('organization', '<>', organization).executeTakeFirst();
      if (elsewhere !== undefined) return refuse('forbidden', "Only the operator can make a link that sets this member's password.");
      await keep(transaction, member.id, link);
      return { id: member.id, email: member.email, organization };
    }, named('makePasswordLink')),
    find: (tokenHash) => engine.read((db) => openLink(db as unknown as Transaction<Schema>, tokenHash, clock())),
    use: (tokenHash, passwordHash) => engine.change<LinkedPerson>(async (transaction) => {
      const person = await openLink(transaction, tokenHash, clock());
      if (person === null) return passwordLinkNotValid();
      const at = clock();
      await transaction.deleteFrom('password_link').where('person', '=', person.id).execute();
      await setPasswordOf(transaction, { person: person.id, passwordHash, atMs: at });
      await transaction.updateTable('person').set({ email_verified: 1, updated_at_ms: at }).where('id', '=', person.id).execute();
      await transaction.deleteFrom('person_session').where('person', '=', person.id).execute();
      return person;
    }, named('usePasswordLink')),
  };
}

/** One sentence for every link that does not work. */
export function passwordLinkNotValid(): StoreRefusal {
  return refuse('password_link_not_valid', 'This link is not valid: it was used, has expired, or a newer one was made. Ask for a new one.');
}

/** Inside a change: the person's password, in place of an earlier one. */
async function setPasswordOf(
  transaction: Transaction<Schema>,
  { person, passwordHash, atMs }: { readonly person: PersonId; readonly passwordHash: string; readonly atMs: number },
): Promise<void> {
  const values = { password_hash: passwordHash, updated_at_ms: atMs };
  await transaction.insertInto('person_credential')
    .values({ id: `${person}_password`, person, provider: 'credential', account: person, created_at_ms: atMs, ...values })
    .onConflict((conflict) => conflict.columns(['person', 'provider']).doUpdateSet(values)).execute();
}

async function openLink(db: Transaction<Schema>, tokenHash: string, nowMs: number): Promise<LinkedPerson | null> {
  const row = await db.selectFrom('password_link as l').innerJoin('person as p', 'p.id', 'l.person').select(['p.id', 'p.email'])
    .where('l.token_hash', '=', tokenHash).where('l.expires_at_ms', '>', BigInt(Math.floor(nowMs))).executeTakeFirst();
  return row === undefined ? null : linkedPerson(db, { id: row.id as PersonId, email: row.email });
}

async function linkedPerson(db: Transaction<Schema>, { id, email }: { readonly id: PersonId; readonly email: string }): Promise<LinkedPerson> {
  const row = await db.selectFrom('membership').select('organization').where('person', '=', id)
    .orderBy('created_at_ms').orderBy('organization').limit(1).executeTakeFirst();
  return { id, email, organization: (row?.organization ?? null) as OrganizationId | null };
}
