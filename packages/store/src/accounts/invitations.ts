/**
 * Invitations: a one-time link by which someone becomes a member; the first owner comes by one without an email.
 * Rule 16; decision 103. Only the SHA-256 of the link's token is kept. Accepting is one change: if two accept at once, one succeeds. A link gives
 * no more than its maker could give at that moment: it becomes void with their membership, role or token.
 */
import { hasRightsOf, roleNamed, type Role } from '@metergate/core/account/role.ts';
import { newId, idPrefix, type OrganizationId, type PersonId } from '@metergate/core/id.ts';
import type { Selectable, Transaction } from 'kysely';
import { isAfter, limitOfPage, type ListPage } from '../engine/list-page.ts';
import { addMember, memberAmong, type Member } from './members.ts';
import { stampOrganization, unknownOrganization } from '../settings/organizations.ts';
import { checkedEmail, makeClaimant, peopleWithEmail, putPassword, type Person } from './people.ts';
import { endLessProved, endSessions, endUnshown, passwordWay, proofs } from './proofs.ts';
import { proveEmail } from './prove-email.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { numberOrNull, type InvitationTable, type Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface Invitation {
  readonly id: string;
  readonly organization: OrganizationId;
  /** Null: whoever holds the link names their own. */
  readonly email: string | null;
  readonly role: Role;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly acceptedAtMs: number | null;
  readonly withdrawnAtMs: number | null;
}

interface NewInvitation {
  readonly organization: OrganizationId;
  readonly email: string | null;
  readonly role: Role;
  /** SHA-256 of the link's token, lower-case hexadecimal. */
  readonly tokenHash: string;
  /** The id of who invites; null: the operator. */
  readonly invitedBy: string | null;
  readonly expiresAtMs: number;
}

interface Acceptance {
  readonly tokenHash: string;
  readonly email: string;
  /** Of the password that was sent with the link; null: a session was shown instead. */
  readonly passwordHash: string | null;
  /** Who showed that they are this person, by that password or by a session; null: nobody whom the store knows. */
  readonly as: { readonly person: PersonId; /** The credential that it was done with. */ readonly way: string } | null;
}

export interface Invitations {
  /** Refuses `unknown_organization`, `invalid_email`. */
  create(wanted: NewInvitation): Promise<Invitation | StoreRefusal>;
  /** Those not accepted, withdrawn, expired or void, oldest first. */
  listOpen(organization: OrganizationId, page?: ListPage): Promise<Invitation[]>;
  /** The open invitation with this token; null if there is none. */
  findOpen(tokenHash: string): Promise<Invitation | null>;
  /**
   * The operator's link for an email proves it. Any other link lets in whoever shows that they are a person with the email, or
   * else somebody new who claims it, so nothing tells whether the email has an account elsewhere. Refuses `invitation_not_valid`,
   * `invalid_email`, `already_member` (somebody with this email is in the organization already, and it is not who asks).
   */
  accept(acceptance: Acceptance): Promise<Member | StoreRefusal>;
  /** `by`: the role of who does it, which reaches no invitation above itself. Refuses `unknown_invitation`, `forbidden`. */
  withdraw(organization: OrganizationId, id: string, by: Role): Promise<Invitation | StoreRefusal>;
}

const sliceRows = 200;

export function invitationsIn(context: StoreContext): Invitations {
  const { engine, clock, randomBytes } = context;
  return {
    async create({ organization, email, role, tokenHash, invitedBy, expiresAtMs }) {
      const checked = email === null ? null : checkedEmail(email);
      if (checked !== null && typeof checked !== 'string') return checked;
      return engine.change<Invitation>(async (transaction, revision) => {
        if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
        const row = {
          id: newId(idPrefix.invitation, randomBytes), organization, email: checked, role, token_hash: tokenHash, invited_by: invitedBy,
          created_at_ms: clock(), expires_at_ms: expiresAtMs, accepted_at_ms: null, withdrawn_at_ms: null,
        };
        return invitationOf(await transaction.insertInto('invitation').values(row).returningAll().executeTakeFirstOrThrow());
      }, ({ id }) => ({ action: 'inviteMember', organization, subject: id }));
    },
    listOpen: (organization, page = {}) =>
      engine.read((db) => openPage(db as unknown as Transaction<Schema>, { organization, page, nowMs: clock() })),
    findOpen: (tokenHash) => engine.read(async (db) => {
      const row = await openWithToken(db as unknown as Transaction<Schema>, tokenHash, clock());
      return row === undefined ? null : invitationOf(row);
    }),
    async accept(acceptance) {
      const { tokenHash } = acceptance;
      const email = checkedEmail(acceptance.email);
      if (typeof email !== 'string') return email;
      return engine.change<Member>(async (transaction) => {
        const row = await openWithToken(transaction, tokenHash, clock());
        if (row === undefined || (row.email !== null && row.email !== email)) return invitationNotValid();
        const { organization, role } = invitationOf(row);
        const arriving = { acceptance, organization, people: await peopleWithEmail(transaction, email), email };
        const proves = row.invited_by === null && row.email !== null;
        const person = await (proves ? proved(context, transaction, arriving) : arrived(context, transaction, arriving));
        if (typeof person !== 'string') return person;
        await transaction.updateTable('invitation').set({ accepted_at_ms: clock() }).where('id', '=', row.id).execute();
        return addMember(transaction, { organization, person, role, atMs: clock() });
      }, (member) => ({ action: 'acceptInvitation', organization: member.organization, subject: member.id, person: member }));
    },
    withdraw: (organization, id, by) => engine.change<Invitation>(async (transaction) => {
      const row = id.includes('\0') ? undefined : await openOnes(transaction, clock())
        .where('organization', '=', organization).where('id', '=', id).executeTakeFirst();
      if (row === undefined) return refuse('unknown_invitation', 'There is no such open invitation.');
      if (!hasRightsOf(by, invitationOf(row).role)) return refuse('forbidden', 'This requires a role at least as high as the invitation\'s.');
      const at = clock();
      await transaction.updateTable('invitation').set({ withdrawn_at_ms: at }).where('id', '=', id).execute();
      return { ...invitationOf(row), withdrawnAtMs: at };
    }, { action: 'withdrawInvitation', organization, subject: id }),
  };
}

interface Arriving {
  readonly acceptance: Acceptance;
  readonly organization: OrganizationId;
  /** Who holds the email, then who claims it. */
  readonly people: readonly Person[];
  readonly email: string;
}

/** By the operator's link: the one person with the email, whatever they showed; a password that came with the link is theirs. */
async function proved(
  context: StoreContext, transaction: Transaction<Schema>, { acceptance: { passwordHash, as }, people, email }: Arriving,
): Promise<PersonId | StoreRefusal> {
  if (as === null ? passwordHash === null : !people.some(({ id }) => id === as.person)) return invitationNotValid();
  const known = people.find(({ holds }) => holds)?.id ?? as?.person ?? people[0]?.id;
  const person = known ?? await makeClaimant(transaction, context, { email, passwordHash: passwordHash ?? '' });
  await proveEmail(context, transaction, { person, email, shown: as?.person === person ? as.way : known === undefined ? passwordWay : null });
  if (passwordHash === null) return person;
  if (as?.person !== person) await endSessions(transaction, person);
  await putPassword(transaction, { person, passwordHash, proof: 'deployment', atMs: context.clock() });
  return person;
}

/** By an organization's link, which proves the email to that organization alone. */
async function arrived(
  context: StoreContext, transaction: Transaction<Schema>, { acceptance: { passwordHash, as }, organization, people, email }: Arriving,
): Promise<PersonId | StoreRefusal> {
  if (as !== null) {
    if (!people.some(({ id }) => id === as.person)) return invitationNotValid();
    await transaction.updateTable('person_credential').set({ proof: proofs.organization })
      .where('person', '=', as.person).where('provider', '=', as.way).where('proof', '<', BigInt(proofs.organization)).execute();
    await endLessProved(context, transaction, { person: as.person, than: 'organization' });
    await endUnshown(context, transaction, { organization, person: as.person, shown: as.way });
    return as.person;
  }
  if (passwordHash === null) return invitationNotValid();
  if (await memberAmong(transaction, organization, people) !== null) {
    return refuse('already_member', 'Somebody with this email is a member already, and the password is not theirs.');
  }
  return makeClaimant(transaction, context, { email, passwordHash });
}

/** Rows are read a slice at a time: those that have become void are left out, and a page is full all the same. */
async function openPage(
  db: Transaction<Schema>, { organization, page, nowMs }: { readonly organization: OrganizationId; readonly page: ListPage; readonly nowMs: number },
): Promise<Invitation[]> {
  const limit = limitOfPage(page);
  const slice = Math.min(limit, sliceRows);
  const open: Invitation[] = [];
  for (let { after } = page; ;) {
    const rows = await openOnes(db, nowMs).where('organization', '=', organization).where(isAfter(['created_at_ms', 'id'], { after }))
      .orderBy('created_at_ms').orderBy('id').limit(slice).execute();
    for (const row of rows) {
      if (open.length < limit && await mayStillBeGiven(db, row)) open.push(invitationOf(row));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < slice || open.length === limit) return open;
    after = { at: Number(last.created_at_ms), id: last.id };
  }
}

/** One sentence for every link that does not work: unknown, used, withdrawn, expired or for another email. */
export function invitationNotValid(): StoreRefusal {
  return refuse('invitation_not_valid', 'This link is not valid: it was used, withdrawn, has expired, or is for another email. Ask for a new one.');
}

function openOnes(db: Transaction<Schema>, nowMs: number) {
  return db.selectFrom('invitation').selectAll()
    .where('accepted_at_ms', 'is', null).where('withdrawn_at_ms', 'is', null).where('expires_at_ms', '>', BigInt(Math.floor(nowMs)));
}

async function openWithToken(
  db: Transaction<Schema>, tokenHash: string, nowMs: number,
): Promise<Selectable<InvitationTable> | undefined> {
  const row = await openOnes(db, nowMs).where('token_hash', '=', tokenHash).executeTakeFirst();
  return row !== undefined && await mayStillBeGiven(db, row) ? row : undefined;
}

/** Whether the inviter still has the role's rights. The operator's links stay valid; a token's end when it is revoked, not when it expires. */
async function mayStillBeGiven(db: Transaction<Schema>, row: Selectable<InvitationTable>): Promise<boolean> {
  const { organization, invited_by: inviter } = row;
  if (inviter === null) return true;
  let person: string | null = inviter;
  if (inviter.startsWith(idPrefix.managementToken)) {
    const token = await db.selectFrom('management_token').select(['role', 'made_by_person', 'revoked_at_ms'])
      .where('organization', '=', organization).where('id', '=', inviter).executeTakeFirst();
    if (token === undefined || token.revoked_at_ms !== null || !gives(token.role, row.role)) return false;
    person = token.made_by_person;
  }
  if (person === null) return true;
  const membership = await db.selectFrom('membership').select('role')
    .where('organization', '=', organization).where('person', '=', person).executeTakeFirst();
  return membership !== undefined && gives(membership.role, row.role);
}

function gives(role: string, wanted: string): boolean {
  return hasRightsOf(roleNamed(role), roleNamed(wanted));
}

function invitationOf(row: Selectable<InvitationTable>): Invitation {
  return {
    id: row.id, organization: row.organization as OrganizationId, email: row.email,
    role: roleNamed(row.role),
    createdAtMs: Number(row.created_at_ms), expiresAtMs: Number(row.expires_at_ms),
    acceptedAtMs: numberOrNull(row.accepted_at_ms), withdrawnAtMs: numberOrNull(row.withdrawn_at_ms),
  };
}
