/**
 * People and how they come to belong to an organization: created by the operator, or through a one-time link. Rule 16; rules:
 * Roles. The first owner joins through a link without an email.
 */
import { hasRightsOf, roles, type Role } from '@metergate/core/account/role.ts';
import { newSecret, type OrganizationId, type PersonId } from '@metergate/core/id.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { ListPage } from '@metergate/store/engine/list-page.ts';
import { invitationNotValid, type Invitation } from '@metergate/store/accounts/invitations.ts';
import { passwordLinkNotValid, type LinkedPerson } from '@metergate/store/accounts/password-links.ts';
import type { Member } from '@metergate/store/accounts/members.ts';
import type { Person } from '@metergate/store/accounts/people.ts';
import { passwordWay, providedWayOf } from '@metergate/store/accounts/proofs.ts';
import { z } from 'zod';
import { passwordRefusal } from '../auth/passwords.ts';
import { refuseChanged, type FieldsBefore } from './changed-meanwhile.ts';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { findOrganization } from './organizations.ts';
import { hashingOf, openedBy, saltOf, wrongPassword } from './password-sign-in.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { sha256Of } from './sha256.ts';

/** The path of a link. Its token follows `#`, so that no server and no log sees it. */
const joinPath = '/join';
const passwordPath = '/password';

const tokenLength = 43;
const linkLifeMs = 7 * 86_400_000;
const passwordLinkLifeMs = 86_400_000;

export const roleField = z.enum(roles, { error: `The role must be one of ${roles.join(', ')}.` });

export interface ShownMember {
  /** The person's id. */
  readonly id: string;
  readonly organization: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: string;
}

export interface ShownInvitation {
  readonly id: string;
  readonly organization: string;
  readonly email: string | null;
  readonly role: Role;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface MadeInvitation extends ShownInvitation {
  /** Shown only this once; whoever has it can become a member. */
  readonly link: string;
}

/** Makes a person with a password, and their membership. */
export async function createUser(
  context: UseCaseContext, wanted: { readonly organization: string; readonly email: string; readonly password: string; readonly role: string },
): Promise<ShownMember | AdministrationRefusal> {
  const role = checkInput(roleField, wanted.role as Role);
  if (isRefusal(role)) return role;
  const weak = passwordRefusal(wanted.password);
  if (weak !== null) return weak;
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const passwordHash = await hashingOf(context).hash(wanted.password, await saltOf(context, wanted.email));
  const made = await context.store.members.create({ organization: organization.id, email: wanted.email, passwordHash, role: role.value });
  return isRefusal(made) ? made : shownMember(made);
}

export interface InvitationInput {
  /** Id or name. */
  readonly organization: string;
  /** Null: whoever holds the link enters their own. */
  readonly email: string | null;
  readonly role: string;
  /** Who invites; null: the operator. */
  readonly by: { readonly role: Role; readonly id: string } | null;
  readonly publicUrl: string;
}

/**
 * A one-time link by which someone becomes a member, with at most the inviter's role. Refuses `forbidden`, `unknown_organization`,
 * `invalid_email`.
 */
export async function inviteUser(context: UseCaseContext, wanted: InvitationInput): Promise<MadeInvitation | AdministrationRefusal> {
  const role = checkInput(roleField, wanted.role as Role);
  if (isRefusal(role)) return role;
  const { by, email } = wanted;
  if (by !== null && !hasRightsOf(by.role, role.value)) return refuseInput('forbidden', 'You cannot give a role above your own.');
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const token = newSecret('', tokenLength, context.randomBytes);
  const made = await context.store.invitations.create({
    organization: organization.id, email, role: role.value, tokenHash: sha256Of(token), invitedBy: by?.id ?? null,
    expiresAtMs: context.nowMs + linkLifeMs,
  });
  return isRefusal(made) ? made : { ...shownInvitation(made), link: `${wanted.publicUrl}${joinPath}#${token}` };
}

/** Who opens the link: by an email and a password, existing or new, or by a session. */
export type Accepting =
  | { readonly email: string; readonly password: string }
  | { readonly person: string; /** The issuer that vouched for the session; null: a password did. */ readonly providedBy: string | null };

/**
 * Whether the link of this token is open, and for this email; checked before any password is hashed. Refuses `invitation_not_valid`.
 */
export async function openInvitation(
  context: UseCaseContext, token: string, email: string | null,
): Promise<Invitation | AdministrationRefusal> {
  const invitation = await context.store.invitations.findOpen(sha256Of(token));
  const fits = invitation !== null && (email === null || invitation.email === null || invitation.email === email.trim().toLowerCase());
  return fits ? invitation : invitationNotValid();
}

/**
 * Makes the membership: for the person that the password or the session identifies, or else for a new one. The answer is the same, and
 * takes as long, whether or not the email has an account elsewhere. If two accept at once, one succeeds. The audit row names the new member.
 * Refuses `invitation_not_valid`, `invalid_email`, `invalid_password`, `wrong_password`, `already_member`.
 */
export async function acceptInvitation(
  context: UseCaseContext, token: string, accepting: Accepting,
): Promise<ShownMember | AdministrationRefusal> {
  const invitation = await openInvitation(context, token, 'email' in accepting ? accepting.email : null);
  if (isRefusal(invitation)) return invitation;
  const shown = 'email' in accepting ? await shownByPassword(context, accepting) : await shownBySession(context, accepting);
  if (isRefusal(shown)) return shown;
  const { person, email } = shown;
  const store = context.store.acting({
    actor: { kind: 'person', id: person?.id ?? null, name: person?.email ?? null }, detail: { invitation: invitation.id, role: invitation.role },
  });
  const as = person === null ? null : { person: person.id, way: shown.way };
  const member = await store.invitations.accept({ tokenHash: sha256Of(token), email, passwordHash: shown.passwordHash, as });
  return isRefusal(member) ? member : shownMember(member);
}

interface ShownPerson {
  readonly person: Person | null;
  readonly email: string;
  readonly way: string;
  readonly passwordHash: string | null;
}

/** The rules for a new password apply to everybody, because accepting a shorter one would reveal that it is an old one. */
async function shownByPassword(
  context: UseCaseContext, credentials: { readonly email: string; readonly password: string },
): Promise<ShownPerson | AdministrationRefusal> {
  const weak = passwordRefusal(credentials.password);
  if (weak !== null) return weak;
  const { person, hash } = await openedBy(context, credentials);
  return { person, email: credentials.email, way: passwordWay, passwordHash: hash };
}

async function shownBySession(
  { store }: UseCaseContext, { person: id, providedBy }: { readonly person: string; readonly providedBy: string | null },
): Promise<ShownPerson | AdministrationRefusal> {
  const person = await store.people.get(id);
  if (person === null) return wrongPassword();
  return { person, email: person.email, way: providedBy === null ? passwordWay : providedWayOf(providedBy), passwordHash: null };
}

/** A one-time link that sets a password. Shown only this once; whoever has it can become that person. */
export interface PasswordLink {
  readonly url: string;
}

/** For the operator: a link for whoever signs in with this email. Refuses `unknown_person`. */
export async function makePasswordLink(
  context: UseCaseContext, { email, publicUrl }: { readonly email: string; readonly publicUrl: string },
): Promise<PasswordLink | AdministrationRefusal> {
  const { link, url } = mintedLink(context, publicUrl);
  const made = await context.store.passwordLinks.makeFor(email, link);
  return isRefusal(made) ? made : { url };
}

/** For an owner: a link for a member, which opens this organization alone. Refuses `unknown_member`. */
export async function makeMemberPasswordLink(
  context: UseCaseContext,
  { organization, id, publicUrl }: { readonly organization: OrganizationId; readonly id: string; readonly publicUrl: string },
): Promise<PasswordLink | AdministrationRefusal> {
  const { link, url } = mintedLink(context, publicUrl);
  const made = await context.store.passwordLinks.makeForMember(organization, id, link);
  return isRefusal(made) ? made : { url };
}

/** Sets the password of the person whose link it is, and ends all their sessions. Refuses `password_link_not_valid`, `invalid_password`. */
export async function usePasswordLink(
  context: UseCaseContext, { token, password }: { readonly token: string; readonly password: string },
): Promise<LinkedPerson | AdministrationRefusal> {
  const person = await context.store.passwordLinks.find(sha256Of(token));
  if (person === null) return passwordLinkNotValid();
  const weak = passwordRefusal(password);
  if (weak !== null) return weak;
  const store = context.store.acting({ actor: { kind: 'person', id: person.id, name: person.email }, detail: {} });
  return store.passwordLinks.use(sha256Of(token), await hashingOf(context).hash(password, await saltOf(context, person.email)));
}

function mintedLink({ randomBytes, nowMs }: UseCaseContext, publicUrl: string) {
  const token = newSecret('', tokenLength, randomBytes);
  return { url: `${publicUrl}${passwordPath}#${token}`, link: { tokenHash: sha256Of(token), expiresAtMs: nowMs + passwordLinkLifeMs } };
}

/** Open invitations, oldest first. Refuses `unknown_organization`. */
export async function listInvitations(
  context: UseCaseContext, idOrName: string, page: ListPage = {},
): Promise<ShownInvitation[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.invitations.listOpen(organization.id, page)).map(shownInvitation);
}

/** Makes the link void. Refuses `unknown_organization`, `unknown_invitation`, `forbidden`. */
export async function withdrawInvitation(
  context: UseCaseContext, { organization: idOrName, id, by }: MemberChange,
): Promise<ShownInvitation | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const withdrawn = await context.store.invitations.withdraw(organization.id, id, by);
  return isRefusal(withdrawn) ? withdrawn : shownInvitation(withdrawn);
}

/** Oldest first. */
export async function listMembers(
  context: UseCaseContext, idOrName: string, page: ListPage = {},
): Promise<ShownMember[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.members.list(organization.id, page)).map(shownMember);
}

/** Someone who belongs to an organization, or whom an open link is for. */
export interface ShownUser {
  /** The person's id, or the invitation's. */
  readonly id: string;
  /** Null: whoever has the link enters their own. */
  readonly email: string | null;
  readonly role: Role;
  readonly state: 'member' | 'invited';
  readonly createdAt: string;
  /** When the link ends; null for a member. */
  readonly expiresAt: string | null;
}

/** Members, then open invitations, each oldest first. */
export async function listUsers(context: UseCaseContext, idOrName: string): Promise<ShownUser[] | AdministrationRefusal> {
  const members = await listMembers(context, idOrName);
  if (isRefusal(members)) return members;
  const invitations = await listInvitations(context, idOrName);
  if (isRefusal(invitations)) return invitations;
  return [
    ...members.map(({ id, email, role, createdAt }) => ({ id, email, role, state: 'member', createdAt, expiresAt: null }) as const),
    ...invitations.map(({ id, email, role, createdAt, expiresAt }) => ({ id, email, role, state: 'invited', createdAt, expiresAt }) as const),
  ];
}

export interface MemberChange {
  readonly organization: string;
  readonly id: string;
  /** The role of the person who makes the change. */
  readonly by: Role;
}

/**
 * Nobody gives or changes a role above their own. `was`: the role that the change was made from. Refuses `unknown_organization`, `unknown_member`,
 * `forbidden`, `last_owner`, `changed_meanwhile`.
 */
export async function setMemberRole(
  context: UseCaseContext,
  { organization: idOrName, id, by, role: wanted, was }: MemberChange & { readonly role: Role; readonly was?: FieldsBefore | undefined },
): Promise<ShownMember | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const member = await context.store.members.setRole(organization.id, id, {
    role: wanted, by, check: ({ role }) => refuseChanged(was, { role }),
  });
  return isRefusal(member) ? member : shownMember(member);
}

/** Ends a membership. Refuses `unknown_organization`, `unknown_member`, `forbidden`, `last_owner`. */
export async function removeMember(
  context: UseCaseContext, { organization: idOrName, id, by }: MemberChange,
): Promise<ShownMember | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const member = await context.store.members.remove(organization.id, id, by);
  return isRefusal(member) ? member : shownMember(member);
}

function shownMember({ id, organization, email, role, createdAtMs }: Member): ShownMember {
  return { id: id satisfies PersonId, organization, email, role, createdAt: isoText(createdAtMs) };
}

function shownInvitation({ id, organization, email, role, createdAtMs, expiresAtMs }: Invitation): ShownInvitation {
  return { id, organization, email, role, createdAt: isoText(createdAtMs), expiresAt: isoText(expiresAtMs) };
}
