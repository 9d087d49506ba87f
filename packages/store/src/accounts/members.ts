/**
 * Who belongs to an organization, and as what. Rules: Roles. An organization that has an owner never loses its last one:
 * changes run one after the other, so two owners who step down at once cannot both.
 */
import { hasRightsOf, roles, type Role } from '@metergate/core/account/role.ts';
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { isAfter, limitOfPage, type ListPage } from '../engine/list-page.ts';
import type { ChangeCheck } from '../settings/change-check.ts';
import { stampOrganization, unknownOrganization } from '../settings/organizations.ts';
import { endMembership, losesKeys, stopOwnKeys } from './membership-end.ts';
import { checkedEmail, makeClaimant, peopleWithEmail, shownEmail } from './people.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface Member {
  /** The person's id. */
  readonly id: PersonId;
  readonly organization: OrganizationId;
  readonly email: string;
  readonly role: Role;
  readonly createdAtMs: number;
}

interface RoleChange {
  readonly role: Role;
  /** The role of who makes the change. */
  readonly by: Role;
  readonly check?: ChangeCheck<Member>;
}

export interface Members {
  /** Oldest first. */
  list(organization: OrganizationId, page?: ListPage): Promise<Member[]>;
  /** Every membership of one person, oldest first; the organization is what a place in this list is named by. */
  of(person: string, page?: ListPage): Promise<Member[]>;
  find(organization: OrganizationId, person: string): Promise<Member | null>;
  /** The member with this email, in any case. */
  findByEmail(organization: OrganizationId, email: string): Promise<Member | null>;
  /**
   * Makes a person and their membership. Refuses `unknown_organization`, `invalid_email`, `email_taken`: whoever holds the email, or belongs
   * to the organization by it, is invited instead. An email that others only claim is free.
   */
  create(wanted: { readonly organization: OrganizationId; readonly email: string; readonly passwordHash: string; readonly role: Role }):
  Promise<Member | StoreRefusal>;
  /**
   * `by`: the role of who does it, which reaches no member and no role above itself. Refuses `unknown_member`, `last_owner`, `forbidden`, and what
   * `check` refuses.
   */
  setRole(organization: OrganizationId, person: string, change: RoleChange): Promise<Member | StoreRefusal>;
  /** The member as they were. Refuses as `setRole` does. */
  remove(organization: OrganizationId, person: string, by: Role): Promise<Member | StoreRefusal>;
}

export function membersIn(context: StoreContext): Members {
  const { engine, clock } = context;
  return {
    list: (organization, page = {}) => engine.read(async (db) => (await membersFrom(db as unknown as Transaction<Schema>)
      .where('membership.organization', '=', organization).where(isAfter(['membership.created_at_ms', 'membership.person'], page))
      .limit(limitOfPage(page)).execute()).map(memberOf)),
    of: (person, page = {}) => engine.read(async (db) => (await membersFrom(db as unknown as Transaction<Schema>)
      .where('membership.person', '=', person).where(isAfter(['membership.created_at_ms', 'membership.organization'], page))
      .limit(limitOfPage(page)).execute()).map(memberOf)),
    find: (organization, person) => engine.read((db) => memberIn(db as unknown as Transaction<Schema>, organization, person)),
    findByEmail: (organization, email) => engine.read(async (db) => {
      const transaction = db as unknown as Transaction<Schema>;
      return memberAmong(transaction, organization, await peopleWithEmail(transaction, email));
    }),
    async create({ organization, email, passwordHash, role }) {
      const checked = checkedEmail(email);
      if (typeof checked !== 'string') return checked;
      return engine.change<Member>(async (transaction, revision) => {
        if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
        const there = await peopleWithEmail(transaction, checked);
        if (there.some(({ holds }) => holds) || await memberAmong(transaction, organization, there) !== null) {
          return refuse('email_taken', 'There is already a user with this email. Invite them instead.');
        }
        const id = await makeClaimant(transaction, context, { email: checked, passwordHash });
        return addMember(transaction, { organization, person: id, role, atMs: clock() });
      }, ({ id }) => ({ action: 'createUser', organization, subject: id }));
    },
    setRole: (organization, person, { role, by, check }) => engine.change<Member>(async (transaction) => {
      const member = await memberIn(transaction, organization, person);
      if (member === null) return unknownMember();
      if (!hasRightsOf(by, member.role) || !hasRightsOf(by, role)) return outOfReach();
      const refusal = check?.(member) ?? null;
      if (refusal !== null) return refusal;
      if (role !== 'owner' && await isLastOwner(transaction, member)) return lastOwner();
      await transaction.updateTable('membership').set({ role })
        .where('organization', '=', organization).where('person', '=', person).execute();
      if (losesKeys(member.role, role)) await stopOwnKeys(context, transaction, { organization, person: member.id });
      return { ...member, role };
    }, { action: 'setMemberRole', organization, subject: person }),
    remove: (organization, person, by) => engine.change<Member>(async (transaction) => {
      const member = await memberIn(transaction, organization, person);
      if (member === null) return unknownMember();
      if (!hasRightsOf(by, member.role)) return outOfReach();
      if (await isLastOwner(transaction, member)) return lastOwner();
      await endMembership(context, transaction, { organization, person: member.id });
      return member;
    }, { action: 'removeMember', organization, subject: person }),
  };
}

/** Inside a change: the membership, at least with this role if there is one already. */
export async function addMember(
  transaction: Transaction<Schema>,
  { organization, person, role, atMs }:
    { readonly organization: OrganizationId; readonly person: PersonId; readonly role: Role; readonly atMs: number },
): Promise<Member> {
  await transaction.insertInto('membership').values({ organization, person, role, created_at_ms: atMs })
    .onConflict((conflict) => conflict.columns(['organization', 'person']).doNothing()).execute();
  const member = (await memberIn(transaction, organization, person))!;
  if (roles.indexOf(member.role) >= roles.indexOf(role)) return member;
  await transaction.updateTable('membership').set({ role }).where('organization', '=', organization).where('person', '=', person).execute();
  return { ...member, role };
}

function membersFrom(db: Transaction<Schema>) {
  return db.selectFrom('membership').innerJoin('person', 'person.id', 'membership.person')
    .select(['membership.organization', 'membership.role', 'membership.created_at_ms', 'person.id', 'person.email', 'person.claimed_email'])
    .orderBy('membership.created_at_ms').orderBy('membership.person').orderBy('membership.organization');
}

/** Within the caller's transaction; null if the person is not a member. */
export async function memberIn(db: Transaction<Schema>, organization: OrganizationId, person: string): Promise<Member | null> {
  if (person.includes('\0')) return null;
  const row = await membersFrom(db).where('membership.organization', '=', organization).where('membership.person', '=', person).executeTakeFirst();
  return row === undefined ? null : memberOf(row);
}

/** Within the caller's transaction: the first of these people who belongs to the organization. */
export async function memberAmong(
  db: Transaction<Schema>, organization: OrganizationId, people: readonly { readonly id: PersonId }[],
): Promise<Member | null> {
  for (const { id } of people) {
    const member = await memberIn(db, organization, id);
    if (member !== null) return member;
  }
  return null;
}

async function isLastOwner(transaction: Transaction<Schema>, { organization, role }: Member): Promise<boolean> {
  if (role !== 'owner') return false;
  const { owners } = await transaction.selectFrom('membership').select((select) => select.fn.countAll<bigint>().as('owners'))
    .where('organization', '=', organization).where('role', '=', 'owner').executeTakeFirstOrThrow();
  return Number(owners) <= 1;
}

function memberOf(row: {
  id: string; organization: string; email: string; claimed_email: string | null; role: string; created_at_ms: bigint;
}): Member {
  return {
    id: row.id as PersonId, organization: row.organization as OrganizationId, email: shownEmail(row),
    role: roles.find((role) => role === row.role) ?? 'viewer', createdAtMs: Number(row.created_at_ms),
  };
}

function unknownMember(): StoreRefusal {
  return refuse('unknown_member', 'There is no such member.');
}

function lastOwner(): StoreRefusal {
  return refuse('last_owner', 'An organization must keep at least one owner. Make another member an owner first.');
}

function outOfReach(): StoreRefusal {
  return refuse('forbidden', 'This requires a role at least as high as the one concerned.');
}
