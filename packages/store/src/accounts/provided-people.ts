/**
 * People whom an identity provider vouches for: known by issuer and subject, with the roles that it names. Rule 16; decisions 75 and 103.
 * Nobody is let in before the provider has once stated that their email is verified. That sign-in proves the email: who claims it or holds it is
 * the same person, and every way in that was made without such a proof ends. From then on the provider decides the
 * person's role in the organizations that it names and in those that it named before. A membership by invitation stays.
 */
import { idPrefix, newId, newSecret, type OrganizationId, type PersonId } from '@metergate/core/id.ts';
import { roles, type Role } from '@metergate/core/account/role.ts';
import type { Transaction } from 'kysely';
import { recordAudit } from '../operation/audit-trail.ts';
import type { AuditAction, AuditIntent } from '../engine/change.ts';
import { stampOrganization, unknownOrganization } from '../settings/organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import { checkedEmail, peopleWithEmail, shownEmail, type Person } from './people.ts';
import { endMembership, losesKeys, stopOwnKeys } from './membership-end.ts';
import { endLessProved, endUnshown, hasUnshown, passwordWay, proofs, providedWayOf } from './proofs.ts';
import { isProvedThroughout, proveEmail } from './prove-email.ts';

/** Who it is, as the provider says. */
export interface ProvidedIdentity {
  /** The issuer's identifier, as it is configured. */
  readonly issuer: string;
  readonly subject: string;
  /** Needed, and verified, only the first time that someone signs in. */
  readonly email: string | null;
  readonly emailVerified: boolean;
}

export interface AdmittedPerson {
  readonly id: PersonId;
  readonly email: string;
  /** Of those that the provider names, the one that the person belongs to longest. */
  readonly organization: OrganizationId;
}

export interface ProvidedPeople {
  /**
   * The person, made or linked where they come for the first time, with exactly these roles in these organizations; at least one.
   * Refuses `unknown_organization`, `invalid_email`, `email_not_verified`, `email_taken` (the email belongs to another subject).
   */
  admit(identity: ProvidedIdentity, named: ReadonlyMap<OrganizationId, Role>): Promise<AdmittedPerson | StoreRefusal>;
  /** Ends the roles that the provider gave and no longer names, with their sessions. The person; null: nobody is known as this, nothing ends. */
  withdraw(identity: Pick<ProvidedIdentity, 'issuer' | 'subject'>): Promise<PersonId | null>;
}

type Known = Pick<AdmittedPerson, 'id' | 'email'>;

/** Someone whom a credential of the provider names. */
interface Named extends Known {
  /** Whether the provider ever verified the email. */
  readonly proved: boolean;
}

interface Held {
  readonly organization: OrganizationId;
  readonly role: Role;
  readonly provided: boolean;
}

export function providedPeopleIn(context: StoreContext): ProvidedPeople {
  const { background: engine } = context;
  return {
    async admit(identity, named) {
      const unchanged = await engine.read((db) => admittedAlready(db as unknown as Transaction<Schema>, identity, named));
      return unchanged ?? engine.change<AdmittedPerson>(async (transaction, revision) => {
        const person = await provedPerson(context, transaction, { identity, named });
        if ('refused' in person) return person;
        if (await hasUnshown(transaction, person.id)) await endLessProved(context, transaction, { person: person.id, than: 'deployment' });
        const held = await heldBy(transaction, person.id, identity.issuer);
        for (const [organization, role] of named) {
          const before = held.find((each) => each.organization === organization);
          if (before?.provided === true && before.role === role) continue;
          if (before === undefined && !await stampOrganization(transaction, organization, revision)) return unknownOrganization();
          await provide(context, transaction, { person, issuer: identity.issuer, organization, role, before: before?.role ?? null });
        }
        await withdrawOthers(context, transaction, { person, issuer: identity.issuer, held, named });
        return { ...person, organization: await firstOf(transaction, person.id, named) };
      }, () => null);
    },
    async withdraw({ issuer, subject }) {
      const known = await engine.read((db) => personOf(db as unknown as Transaction<Schema>, { issuer, subject }));
      if (known === null) return null;
      await engine.change(async (transaction) => {
        const held = await heldBy(transaction, known.id, issuer);
        await withdrawOthers(context, transaction, { person: known, issuer, held, named: new Map() });
      }, () => null);
      return known.id;
    },
  };
}

/** Where nothing is to be changed, nothing is written: most sign-ins are such. */
async function admittedAlready(
  db: Transaction<Schema>, identity: ProvidedIdentity, named: ReadonlyMap<OrganizationId, Role>,
): Promise<AdmittedPerson | null> {
  const person = await personOf(db, identity);
  if (person === null || !person.proved) return null;
  if (await hasUnshown(db, person.id)) return null;
  if (verifies(identity, person) && !await isProvedThroughout(db, { person: person.id, email: person.email })) return null;
  const held = (await heldBy(db, person.id, identity.issuer)).filter(({ organization, provided }) => provided || named.has(organization));
  const same = held.length === named.size && held.every(({ organization, role, provided }) => provided && named.get(organization) === role);
  return same ? { id: person.id, email: person.email, organization: await firstOf(db, person.id, named) } : null;
}

async function personOf(db: Transaction<Schema>, { issuer, subject }: Pick<ProvidedIdentity, 'issuer' | 'subject'>): Promise<Named | null> {
  const row = await db.selectFrom('person_credential').innerJoin('person', 'person.id', 'person_credential.person')
    .select(['person.id', 'person.email', 'person.claimed_email', 'person_credential.proof'])
    .where('person_credential.provider', '=', providedWayOf(issuer)).where('person_credential.account', '=', subject).executeTakeFirst();
  return row === undefined ? null : {
    id: row.id as PersonId, email: shownEmail(row), proved: Number(row.proof) === proofs.deployment,
  };
}

/** Whether this sign-in proves the person's email here. */
function verifies({ email, emailVerified }: ProvidedIdentity, person: Known): boolean {
  return emailVerified && checkedEmail(email ?? '') === person.email;
}

interface Coming {
  readonly identity: ProvidedIdentity;
  readonly named: ReadonlyMap<OrganizationId, Role>;
}

/** The person of this sign-in, whose email is proved by it or was before. */
async function provedPerson(context: StoreContext, transaction: Transaction<Schema>, coming: Coming): Promise<Known | StoreRefusal> {
  const { identity } = coming;
  const known = await personOf(transaction, identity);
  if (known !== null && known.proved) {
    if (verifies(identity, known)) await proveEmail(context, transaction, { person: known.id, email: known.email, shown: null });
    return known;
  }
  const email = checkedEmail(identity.email ?? '');
  if (typeof email !== 'string') return email;
  if (!identity.emailVerified) return refuse('email_not_verified', 'The provider does not say that the email was verified.');
  const [there] = await peopleWithEmail(transaction, email);
  if (known !== null && known.id === there?.id) {
    await proveEmail(context, transaction, { person: known.id, email, shown: providedWayOf(identity.issuer) });
    return known;
  }
  // An earlier version let this subject in with an email that was not theirs: that way in ends, and they come as somebody new.
  if (known !== null) await endLessProved(context, transaction, { person: known.id, than: 'organization' });
  return linkedOrMade(context, transaction, { ...coming, email, there: there ?? null });
}

async function linkedOrMade(
  context: StoreContext, transaction: Transaction<Schema>,
  { identity, named, email, there }: Coming & { readonly email: string; readonly there: Person | null },
): Promise<Known | StoreRefusal> {
  if (there !== null && await isOf(transaction, there.id, identity.issuer)) {
    return refuse('email_taken', 'Another user of the provider has this email here.');
  }
  const id = there?.id ?? await make(context, transaction, email);
  const hadPassword = there !== null && await hasPassword(transaction, id);
  await proveEmail(context, transaction, { person: id, email, shown: null });
  const at = context.clock();
  await transaction.insertInto('person_credential').values({
    id: newSecret(`${id}_`, 10, context.randomBytes), person: id, provider: providedWayOf(identity.issuer), account: identity.subject,
    password_hash: null, proof: proofs.deployment, created_at_ms: at, updated_at_ms: at,
  }).execute();
  if (there !== null) {
    await told(context, transaction, {
      action: 'linkIdentity', person: { id, email }, organization: named.keys().next().value!,
      detail: { issuer: identity.issuer, passwordEnded: hadPassword && !await hasPassword(transaction, id) },
    });
  }
  return { id, email };
}

async function make({ clock, randomBytes }: StoreContext, transaction: Transaction<Schema>, email: string): Promise<PersonId> {
  const id = newId(idPrefix.person, randomBytes) as PersonId;
  const at = clock();
  await transaction.insertInto('person')
    .values({ id, email, claimed_email: null, name: email, email_verified: 1, image: null, created_at_ms: at, updated_at_ms: at }).execute();
  return id;
}

async function hasPassword(transaction: Transaction<Schema>, person: PersonId): Promise<boolean> {
  return await transaction.selectFrom('person_credential').select('id')
    .where('person', '=', person).where('provider', '=', passwordWay).executeTakeFirst() !== undefined;
}

/** Whether another subject of the provider has proved to be this person. */
async function isOf(transaction: Transaction<Schema>, person: PersonId, issuer: string): Promise<boolean> {
  return await transaction.selectFrom('person_credential').select('id').where('person', '=', person)
    .where('provider', '=', providedWayOf(issuer)).where('proof', '=', BigInt(proofs.deployment)).executeTakeFirst() !== undefined;
}

async function heldBy(db: Transaction<Schema>, person: PersonId, issuer: string): Promise<Held[]> {
  const rows = await db.selectFrom('membership').select(['organization', 'role', 'provided_by']).where('person', '=', person).execute();
  return rows.map(({ organization, role, provided_by: by }) => ({
    organization: organization as OrganizationId, role: roles.find((each) => each === role) ?? 'viewer', provided: by === issuer,
  }));
}

interface Providing {
  readonly person: Known;
  readonly issuer: string;
  readonly organization: OrganizationId;
  readonly role: Role;
  readonly before: Role | null;
}

async function provide(
  context: StoreContext, transaction: Transaction<Schema>, { person, issuer, organization, role, before }: Providing,
): Promise<void> {
  const ended = await endUnshown(context, transaction, { organization, person: person.id, shown: null });
  await transaction.insertInto('membership')
    .values({ organization, person: person.id, role, provided_by: issuer, created_at_ms: context.clock() })
    .onConflict((conflict) => conflict.columns(['organization', 'person']).doUpdateSet({ role, provided_by: issuer })).execute();
  if (before !== null && losesKeys(before, role)) await stopOwnKeys(context, transaction, { organization, person: person.id });
  await told(context, transaction, { action: 'provideMember', person, organization, detail: {
    issuer, role, before, ...(ended.includes(passwordWay) ? { passwordEnded: true } : {}),
  } });
}

interface Withdrawing {
  readonly person: Known;
  readonly issuer: string;
  readonly held: readonly Held[];
  readonly named: ReadonlyMap<OrganizationId, Role>;
}

async function withdrawOthers(
  context: StoreContext, transaction: Transaction<Schema>, { person, issuer, held, named }: Withdrawing,
): Promise<void> {
  for (const { organization, role } of held.filter((each) => each.provided && !named.has(each.organization))) {
    await endMembership(context, transaction, { organization, person: person.id });
    await told(context, transaction, { action: 'withdrawMember', person, organization, detail: { issuer, before: role } });
  }
}

/** A row of the audit trail, by the person who signed in: their sign-in caused the change. */
async function told(
  context: StoreContext, transaction: Transaction<Schema>,
  { action, person, organization, detail }: {
    readonly action: AuditAction; readonly person: Known; readonly organization: OrganizationId; readonly detail: AuditIntent['detail'];
  },
): Promise<void> {
  await recordAudit(context, transaction, {
    intent: { actor: { kind: 'person', id: person.id, name: person.email }, detail }, change: { action, organization, subject: person.id },
  });
}

async function firstOf(db: Transaction<Schema>, person: PersonId, named: ReadonlyMap<OrganizationId, Role>): Promise<OrganizationId> {
  const { organization } = await db.selectFrom('membership').select('organization').where('person', '=', person)
    .where('organization', 'in', [...named.keys()]).orderBy('created_at_ms').orderBy('organization').limit(1).executeTakeFirstOrThrow();
  return organization as OrganizationId;
}
