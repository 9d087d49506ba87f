/**
 * One-time links for setting a person's password. Rule 16; decision 103. Only the SHA-256 of a link's token is kept; a newer link of the same
 * person makes the older ones void, and using one ends every session of the person. The operator's link also proves the email: every way in
 * that was made without such a proof ends. An owner's proves it to their organization alone, and opens nothing of the person elsewhere,
 * also when they join another one later (decision 321).
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { memberIn } from './members.ts';
import { moveMembership } from './membership-move.ts';
import { makeClaimant, peopleWithEmail, putPassword, shownEmail } from './people.ts';
import { endLessProved, endSessions } from './proofs.ts';
import { proveEmail } from './prove-email.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

interface NewPasswordLink {
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
  /** For the operator: for the person with this email. Refuses `unknown_person`. */
  makeFor(email: string, link: NewPasswordLink): Promise<LinkedPerson | StoreRefusal>;
  /**
   * For an owner: of a member. Someone who belongs to other organizations too becomes, when the link is used, a member apart from that
   * account, so the link opens nothing elsewhere, and nothing tells that there is an elsewhere. Refuses `unknown_member`.
   */
  makeForMember(organization: OrganizationId, person: string, link: NewPasswordLink): Promise<LinkedPerson | StoreRefusal>;
  /** Whose the link is; null if it is used, expired or unknown. */
  find(tokenHash: string): Promise<LinkedPerson | null>;
  /** Sets the password, uses the link up and ends all sessions. Refuses `password_link_not_valid`. */
  use(tokenHash: string, passwordHash: string): Promise<LinkedPerson | StoreRefusal>;
}

export function passwordLinksIn(context: StoreContext): PasswordLinks {
  const { engine, clock } = context;
  const keep = async (
    transaction: Transaction<Schema>, { person, madeIn, link }: { person: PersonId; madeIn: OrganizationId | null; link: NewPasswordLink },
  ): Promise<void> => {
    await transaction.deleteFrom('password_link').where('person', '=', person).execute();
    await transaction.insertInto('password_link').values({
      token_hash: link.tokenHash, person, expires_at_ms: link.expiresAtMs, made_in: madeIn,
    }).execute();
  };
  const named = (action: 'makePasswordLink' | 'usePasswordLink') => ({ id, email, organization }: LinkedPerson) =>
    ({ action, organization, subject: id, ...(action === 'usePasswordLink' ? { person: { id, email } } : {}) });
  return {
    makeFor: (email, link) => engine.change<LinkedPerson>(async (transaction) => {
      const [person] = await peopleWithEmail(transaction, email);
      if (person === undefined) return refuse('unknown_person', 'There is no user with this email.');
      await keep(transaction, { person: person.id, madeIn: null, link });
      return linkedPerson(transaction, person);
    }, named('makePasswordLink')),
    makeForMember: (organization, person, link) => engine.change<LinkedPerson>(async (transaction) => {
      const member = await memberIn(transaction, organization, person);
      if (member === null) return refuse('unknown_member', 'There is no such member.');
      await keep(transaction, { person: member.id, madeIn: organization, link });
      return { id: member.id, email: member.email, organization };
    }, named('makePasswordLink')),
    find: (tokenHash) => engine.read((db) => openLink(db as unknown as Transaction<Schema>, tokenHash, clock())),
    use: (tokenHash, passwordHash) => engine.change<LinkedPerson>(async (transaction) => {
      const linked = await openLink(transaction, tokenHash, clock());
      if (linked === null) return passwordLinkNotValid();
      await transaction.deleteFrom('password_link').where('person', '=', linked.id).execute();
      const person = await (linked.madeIn === null ? proved(context, transaction, linked) : parted(context, transaction, linked, linked.madeIn));
      await endSessions(transaction, person);
      await putPassword(transaction, { person, passwordHash, proof: linked.madeIn === null ? 'deployment' : 'organization', atMs: clock() });
      return linkedPerson(transaction, { id: person, email: linked.email });
    }, named('usePasswordLink')),
  };
}

/** One sentence for every link that does not work. */
export function passwordLinkNotValid(): StoreRefusal {
  return refuse('password_link_not_valid', 'This link is not valid: it was used, has expired, or a newer one was made. Ask for a new one.');
}

interface OpenLink extends LinkedPerson {
  /** The organization whose owner made it; null: the operator did. */
  readonly madeIn: OrganizationId | null;
}

/** By the operator's link: the one person with the email. Somebody may have proved it since the link was made. */
async function proved(context: StoreContext, transaction: Transaction<Schema>, { id, email }: OpenLink): Promise<PersonId> {
  const person = (await peopleWithEmail(transaction, email)).find(({ holds }) => holds)?.id ?? id;
  await proveEmail(context, transaction, { person, email, shown: null });
  return person;
}

/** By an owner's link: the member, apart from their account if that also opens other organizations. */
async function parted(
  context: StoreContext, transaction: Transaction<Schema>, { id, email }: OpenLink, organization: OrganizationId,
): Promise<PersonId> {
  const elsewhere = await transaction.selectFrom('membership').select('organization')
    .where('person', '=', id).where('organization', '<>', organization).executeTakeFirst();
  if (elsewhere === undefined) {
    await endLessProved(context, transaction, { person: id, than: 'organization' });
    return id;
  }
  const member = await makeClaimant(transaction, context, { email, passwordHash: '' });
  await moveMembership(context, transaction, { organization, person: id, to: member });
  return member;
}

async function openLink(
  db: Transaction<Schema>, tokenHash: string, nowMs: number,
): Promise<OpenLink | null> {
  const row = await db.selectFrom('password_link as l').innerJoin('person as p', 'p.id', 'l.person')
    .select(['p.id', 'p.email', 'p.claimed_email', 'l.made_in'])
    .where('l.token_hash', '=', tokenHash).where('l.expires_at_ms', '>', BigInt(Math.floor(nowMs))).executeTakeFirst();
  if (row === undefined) return null;
  const madeIn = row.made_in as OrganizationId | null;
  if (madeIn !== null && await memberIn(db, madeIn, row.id) === null) return null;
  return { ...await linkedPerson(db, { id: row.id as PersonId, email: shownEmail(row) }), madeIn };
}

async function linkedPerson(db: Transaction<Schema>, { id, email }: { readonly id: PersonId; readonly email: string }): Promise<LinkedPerson> {
  const row = await db.selectFrom('membership').select('organization').where('person', '=', id)
    .orderBy('created_at_ms').orderBy('organization').limit(1).executeTakeFirst();
  return { id, email, organization: (row?.organization ?? null) as OrganizationId | null };
}
