/**
 * People who sign in: an email, a password's hash, and memberships. Rule 16; rules: Roles.
 * An email is kept in lower case and is unique. Hashing is done before it comes here.
 */
import { newId, idPrefix, type PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { refuse, type StoreRefusal } from '../refusal.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../context.ts';

export interface Person {
  readonly id: PersonId;
  readonly email: string;
  /** As the password hashing wrote it; null: none is set. A secret. */
  readonly passwordHash: string | null;
}

export interface People {
  /** By email in any case; null if there is none. */
  find(email: string): Promise<Person | null>;
  /** Stores another hash of the same password; sessions stay valid. */
  rehash(person: PersonId, before: string, hash: string): Promise<void>;
  /** Sets another password; every session of the person ends. */
  setPassword(person: PersonId, hash: string): Promise<void>;
  /** Ends every session of the person. */
  endSessions(person: PersonId): Promise<void>;
  /** The organization that a session works for from now on. */
  chooseOrganization(session: string, organization: string): Promise<void>;
}

export function peopleIn({ engine, clock }: StoreContext): People {
  return {
    find: (email) => engine.read((db) => personByEmail(db as unknown as Transaction<Schema>, email)),
    rehash: (person, before, hash) => engine.write(async (transaction) => {
      await transaction.updateTable('person_credential').set({ password_hash: hash, updated_at_ms: clock() })
        .where('person', '=', person).where('provider', '=', 'credential').where('password_hash', '=', before).execute();
    }),
    setPassword: (person, hash) => engine.write(async (transaction) => {
      await transaction.updateTable('person_credential').set({ password_hash: hash, updated_at_ms: clock() })
        .where('person', '=', person).where('provider', '=', 'credential').execute();
      await transaction.deleteFrom('person_session').where('person', '=', person).execute();
    }),
    endSessions: (person) => engine.write(async (transaction) => {
      await transaction.deleteFrom('person_session').where('person', '=', person).execute();
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

/** Within the caller's transaction, whatever the case of the email; null if nobody has it. */
export async function personByEmail(transaction: Transaction<Schema>, email: string): Promise<Person | null> {
  const checked = checkedEmail(email);
  if (typeof checked !== 'string') return null;
  const row = await transaction.selectFrom('person')
    .leftJoin('person_credential', (join) =>
      join.onRef('person_credential.person', '=', 'person.id').on('person_credential.provider', '=', 'credential'))
    .select(['person.id', 'person.email', 'person_credential.password_hash']).where('person.email', '=', checked).executeTakeFirst();
  return row === undefined ? null : { id: row.id as PersonId, email: row.email, passwordHash: row.password_hash };
}

/** Inside a change: the person with this email, made with this password if there is none. */
export async function personFor(
  transaction: Transaction<Schema>,
  { clock, randomBytes }: StoreContext,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
): Promise<{ readonly id: PersonId; readonly made: boolean }> {
  const known = await transaction.selectFrom('person').select('id').where('email', '=', email).executeTakeFirst();
  if (known !== undefined) return { id: known.id as PersonId, made: false };
  const id = (newId(idPrefix.person, randomBytes)) as PersonId;
  const at = clock();
  await transaction.insertInto('person')
    .values({ id, email, name: email, email_verified: 0, image: null, created_at_ms: at, updated_at_ms: at }).execute();
  await transaction.insertInto('person_credential').values({
    id: `${id}_password`, person: id, provider: 'credential', account: id, password_hash: passwordHash, created_at_ms: at, updated_at_ms: at,
  }).execute();
  return { id, made: true };
}
