/**
 * An email and a password → the person whom they open. Rule 16; decision 103. Several people may claim one email, each with a different
 * password. Nothing, not even the time it takes, reveals how many they are.
 */
import type { Person } from '@metergate/store/accounts/people.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { passwordRefusal, passwords, type Opening, type Passwords } from '../auth/passwords.ts';
import type { UseCaseContext } from './context.ts';
import { refuseInput, type AdministrationRefusal } from './refusal.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The person whom the password opens. */
interface OpenedPerson {
  readonly person: Person | null;
  /** The password's own hash, for a person who is created with it. */
  readonly hash: string;
}

/** The person who has or claims the email and has this password; whoever holds the email comes first. */
export async function openedBy(context: UseCaseContext, { email, password }: Credentials): Promise<OpenedPerson> {
  const people = await context.store.people.withEmail(email);
  const { opens, hash }: Opening = await hashingOf(context).check(password, people.map(({ passwordHash }) => passwordHash));
  return { person: opens === null ? null : people[opens]!, hash };
}

interface SignedIn {
  readonly person: Person;
  /** The one that the session is for; null: they belong to none. */
  readonly organization: OrganizationId | null;
}

/** Null: nobody with this email has this password. A hash with outdated parameters is replaced. */
export async function signInByPassword(context: UseCaseContext, credentials: Credentials): Promise<SignedIn | null> {
  const { person } = await openedBy(context, credentials);
  if (person === null || person.passwordHash === null) return null;
  const { store } = context;
  const hashing = hashingOf(context);
  if (hashing.isDated(person.passwordHash)) {
    await store.people.rehash(person.id, person.passwordHash, await hashing.hash(credentials.password, person.passwordHash));
  }
  return { person, organization: (await store.members.of(person.id))[0]?.organization ?? null };
}

/** Every session of the person ends. Refuses `wrong_password`, `invalid_password`. */
export async function changeOwnPassword(
  context: UseCaseContext, { person: id, current, next }: { readonly person: string; readonly current: string; readonly next: string },
): Promise<Person | AdministrationRefusal> {
  const weak = passwordRefusal(next);
  if (weak !== null) return weak;
  const person = await context.store.people.get(id);
  const hash = person?.passwordHash ?? null;
  const { opens } = await hashingOf(context).check(current, [hash]);
  if (person === null || opens === null) return wrongPassword();
  await context.store.people.setPassword(person.id, await hashingOf(context).hash(next, hash));
  return person;
}

/** The same words, whatever was wrong. */
export function wrongPassword(): AdministrationRefusal {
  return refuseInput('wrong_password', 'The email or the password is wrong.');
}

/** The salt that people with this email share; null: nobody has it. */
export async function saltOf({ store }: UseCaseContext, email: string): Promise<string | null> {
  return (await store.people.withEmail(email)).find(({ passwordHash }) => passwordHash !== null)?.passwordHash ?? null;
}

export function hashingOf(context: UseCaseContext): Passwords {
  return context.passwords ?? passwords;
}
