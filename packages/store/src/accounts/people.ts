/**
 * People who sign in: an email, a password's hash, and memberships. Rule 16; rules: Roles.
 * An email is kept in lower case. At most one person holds it, by a proof; anybody may claim it (`prove-email.ts`).
 * Hashing is done before it comes here.
 */
import { newId, idPrefix, type PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { endSessions, passwordWay, proofs, type Proof } from './proofs.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface Person {
  readonly id: PersonId;
  /** Proved or claimed. */
  readonly email: string;
  /** Whether the email is proved to the deployment; at most one person holds it, and others may claim it. */
  readonly holds: boolean;
  /** As the password hashing wrote it; null: none is set. A secret. */
  readonly passwordHash: string | null;
}

export interface People {
  /** Everybody whom a password may open under this email: who holds it, then who claims it and belongs to an organization, oldest first. */
  withEmail(email: string): Promise<Person[]>;
  /** By id; null if there is none. */
  get(id: string): Promise<Person | null>;
  /** Stores another hash of the same password; sessions stay valid. */
  rehash(person: PersonId, before: string, hash: string): Promise<void>;
  /** Sets another password; every session of the person ends. */
  setPassword(person: PersonId, hash: string): Promise<void>;
  /** The organization that a session works for from now on. */
  chooseOrganization(session: string, organization: string): Promise<void>;
}

export function peopleIn({ engine, clock }: StoreContext): People {
  return {
    withEmail: (email) => engine.read(async (db) => {
      const found = await peopleWithEmail(db as unknown as Transaction<Schema>, email);
      const belonging = found.length === 0 ? [] : await db.selectFrom('membership').select('person').distinct()
        .where('person', 'in', found.map(({ id }) => id)).execute();
      return found.filter(({ id, holds }) => holds || belonging.some(({ person }) => person === id));
    }),
    get: (id) => engine.read(async (db) => {
      const row = await peopleFrom(db as unknown as Transaction<Schema>).where('person.id', '=', id.replaceAll('\0', '')).executeTakeFirst();
      return row === undefined ? null : personOf(row);
    }),
    rehash: (person, before, hash) => engine.write(async (transaction) => {
      await transaction.updateTable('person_credential').set({ password_hash: hash, updated_at_ms: clock() })
        .where('person', '=', person).where('provider', '=', passwordWay).where('password_hash', '=', before).execute();
    }),
    setPassword: (person, hash) => engine.write(async (transaction) => {
      await transaction.updateTable('person_credential').set({ password_hash: hash, updated_at_ms: clock() })
        .where('person', '=', person).where('provider', '=', passwordWay).execute();
      await endSessions(transaction, person);
    }),
    chooseOrganization: (session, organization) => engine.write(async (transaction) => {
      await transaction.updateTable('person_session').set({ organization }).where('id', '=', session).execute();
    }),
  };
}

/** The form in which an email is stored, or the reason why it is invalid. */
export function checkedEmail(text: string): string | StoreRefusal {
  const email = text.trim().toLowerCase();
  return /^(?!\.)(?!.*\.\.)[a-z0-9_'+.-]{0,63}[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/.test(email) && email.length <= 254
    ? email : refuse('invalid_email', 'The email must be an address such as ada@example.com.');
}

/** Within the caller's transaction, whatever the case of the email: who holds it, then who claims it, oldest first. */
export async function peopleWithEmail(transaction: Transaction<Schema>, email: string): Promise<Person[]> {
  const checked = checkedEmail(email);
  if (typeof checked !== 'string') return [];
  const holder = await peopleFrom(transaction).where('person.email', '=', checked).executeTakeFirst();
  const claiming = await peopleFrom(transaction).where('person.claimed_email', '=', checked)
    .orderBy('person.created_at_ms').orderBy('person.id').execute();
  return [...(holder === undefined ? [] : [holder]), ...claiming].map(personOf);
}

function peopleFrom(db: Transaction<Schema>) {
  return db.selectFrom('person')
    .leftJoin('person_credential', (join) =>
      join.onRef('person_credential.person', '=', 'person.id').on('person_credential.provider', '=', passwordWay))
    .select(['person.id', 'person.email', 'person.claimed_email', 'person_credential.password_hash']);
}

function personOf(
  row: { readonly id: string; readonly email: string; readonly claimed_email: string | null; readonly password_hash: string | null },
): Person {
  return { id: row.id as PersonId, email: shownEmail(row), holds: row.claimed_email === null, passwordHash: row.password_hash };
}

/** The email that a person has proved, else the one that they claim. */
export function shownEmail(row: { readonly email: string; readonly claimed_email: string | null }): string {
  return row.claimed_email ?? row.email;
}

/** Inside a change: a new person who only claims this email, apart from everybody else who has it or claims it. */
export async function makeClaimant(
  transaction: Transaction<Schema>,
  { clock, randomBytes }: StoreContext,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
): Promise<PersonId> {
  const id = newId(idPrefix.person, randomBytes) as PersonId;
  const at = clock();
  await transaction.insertInto('person')
    .values({ id, email: id, claimed_email: email, name: email, email_verified: 0, image: null, created_at_ms: at, updated_at_ms: at }).execute();
  await putPassword(transaction, { person: id, passwordHash, proof: 'organization', atMs: at });
  return id;
}

/** Inside a change: the person's password, in place of an earlier one, and how far it is proved. */
export async function putPassword(
  transaction: Transaction<Schema>,
  { person, passwordHash, proof, atMs }:
    { readonly person: PersonId; readonly passwordHash: string; readonly proof: Proof; readonly atMs: number },
): Promise<void> {
  const values = { password_hash: passwordHash, proof: proofs[proof], updated_at_ms: atMs };
  await transaction.insertInto('person_credential')
    .values({ id: `${person}_password`, person, provider: passwordWay, account: person, created_at_ms: atMs, ...values })
    .onConflict((conflict) => conflict.columns(['person', 'provider']).doUpdateSet(values)).execute();
}
