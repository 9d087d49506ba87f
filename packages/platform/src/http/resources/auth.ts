/**
 * Signing in and out, the session, joining by a link. Rule 16. Attempts with a password are limited, and every failed one gets the
 * same answer.
 */
import { z } from '@hono/zod-openapi';
import { roles } from '@metergate/core/account/role.ts';
import type { PersonId } from '@metergate/core/id.ts';
import { checkedEmail } from '@metergate/store/accounts/people.ts';
import { isTooMany, unlessWithdrawn, type Attempt, type Trier } from '../../auth/attempts.ts';
import type { HashedFor } from '../../auth/passwords.ts';
import type { UseCaseContext } from '../../use-cases/context.ts';
import { changeOwnPassword, hashingOf, signInByPassword, wrongPassword } from '../../use-cases/password-sign-in.ts';
import { isRefusal, refuseInput } from '../../use-cases/refusal.ts';
import { isOperator } from '../../use-cases/nodes.ts';
import { showOrganization } from '../../use-cases/organizations.ts';
import { acceptInvitation, openInvitation, usePasswordLink } from '../../use-cases/users.ts';
import { networkOf } from '../client-address.ts';
import { HttpRefusal, httpRefusalOf } from '../envelope.ts';
import { knowBrowser, knownBrowserOf, signInPath } from '../known-browser-cookie.ts';
import { openOperation, operation } from '../operation.ts';
import { oidcStartPath } from '../oidc-routes.ts';
import { signOutPath, signOutThere } from '../oidc-sign-out.ts';
import type { PlatformParts } from '../parts.ts';
import { emailSent, emailShown } from './fields.ts';
import { memberSchema } from './members.ts';

const password = z.string().min(1).max(1_024).openapi({ format: 'password' });

const done = z.object({ done: z.literal(true) }).openapi('Done');

const ways = openOperation({
  id: 'listWaysToSignIn', method: 'get', path: '/auth/ways', role: null, tag: 'auth', summary: 'How people can sign in',
  answer: z.object({
    password: z.literal(true),
    openIdConnect: z.object({ name: z.string(), start: z.string() }).nullable()
      .openapi({ description: 'The provider\'s host, and the path that a browser opens; `?to=` is a path to go on to. Null: not configured.' }),
  }).openapi('WaysToSignIn'),
  run: async ({ parts: { oidc } }) => ({
    password: true as const, openIdConnect: oidc === null ? null : { name: oidc.provider.name, start: oidcStartPath },
  }),
});

const signIn = openOperation({
  id: 'signIn', method: 'post', path: signInPath, role: null, tag: 'auth', summary: 'Begin a session with an email and a password',
  refuses: ['wrong_password', 'invalid_email'], bounded: true,
  body: z.strictObject({ email: emailSent, password }), answer: done,
  run: async ({ context, parts, body, headers, address, answerHeaders }) => {
    // Before it is counted: nobody has such an account, and counts are kept for emails.
    const email = checkedEmail(body.email);
    if (isRefusal(email)) return email;
    const attempt = takeAttempt(parts, { email, address, browser: knownBrowserOf(headers, parts) });
    const hashing = hashingFor(context, { isKnown: attempt.isKnown, from: networkOf(address) });
    const found = await unlessWithdrawn(attempt, () => signInByPassword(hashing, body));
    if (found === null || !attempt.succeeded(found.person.id)) return wrongPassword();
    addCookies(answerHeaders, await parts.sessions.begin({ person: found.person.id, issuer: null, organization: found.organization }, headers));
    knowBrowser({ email: body.email, person: found.person.id }, parts, { request: headers, answer: answerHeaders });
    return { done: true as const };
  },
});

const signOut = openOperation({
  id: 'signOut', method: 'post', path: signOutPath, role: null, tag: 'auth', summary: 'End the session',
  answer: z.object({
    done: z.literal(true),
    goOnTo: z.string().nullable().openapi({ description: 'An address of the identity provider, where a browser signs out there too. Null: none' }),
  }).openapi('SignedOut'),
  run: async ({ parts, headers, answerHeaders }) => {
    addCookies(answerHeaders, await parts.sessions.end(headers));
    return { done: true as const, goOnTo: await signOutThere(headers, answerHeaders, parts) };
  },
});

const session = operation({
  id: 'showSession', method: 'get', path: '/auth/session', role: 'viewer', tag: 'auth',
    summary: 'Who is signed in, for which organization and in which role',
  refuses: ['unknown_organization'],
  answer: z.object({
    kind: z.enum(['person', 'token']), id: z.string(), email: emailShown.nullable(), role: z.enum(roles),
    organization: z.object({ id: z.string(), name: z.string() }),
    operator: z.boolean().openapi({ description: 'An owner of the first organization, who sees the nodes of the deployment' }),
  }).openapi('Session'),
  run: async ({ context, actor }) => {
    const organization = await showOrganization(context, actor.organization);
    if (isRefusal(organization)) return organization;
    const member = actor.kind === 'person' ? await context.store.members.find(actor.organization, actor.id) : null;
    const { id, name } = organization;
    const operator = await isOperator(context, actor);
    return { kind: actor.kind, id: actor.id, email: member?.email ?? null, role: actor.role, organization: { id, name }, operator };
  },
});

const chooseOrganization = operation({
  id: 'chooseOrganization', method: 'post', path: '/auth/organization', role: 'viewer', tag: 'auth',
  refuses: ['unknown_organization'],
  summary: 'Switch this session to another organization that the person belongs to',
  body: z.strictObject({ organization: z.string().min(1).max(200) }), answer: done,
  run: async ({ parts, actor, body }) => {
    const memberships = actor.session === null ? [] : await parts.store.members.of(actor.id as PersonId);
    if (actor.session === null || !memberships.some(({ organization }) => organization === body.organization)) {
      return refuseInput('unknown_organization', 'There is no such organization.');
    }
    await parts.store.people.chooseOrganization(actor.session, body.organization);
    return { done: true as const };
  },
});

const changePassword = operation({
  id: 'changePassword', method: 'post', path: '/auth/change-password', role: 'viewer', tag: 'auth',
  refuses: ['wrong_password', 'invalid_password', 'forbidden'], bounded: true,
  summary: 'Set a new password; ends every other session of the person', secrets: ['currentPassword', 'newPassword'],
  body: z.strictObject({ currentPassword: password, newPassword: password }), answer: done,
  run: async ({ context, parts, actor, body, headers, answerHeaders }) => {
    if (actor.session === null) return refuseInput('forbidden', 'A management token has no password.');
    // Counted by session: without one of this person's, nobody can use the count up.
    const attempt = takeAttempt(parts, { kind: 'own-password', email: actor.id, address: `session ${actor.session}` });
    const hashing = hashingFor(context, { isKnown: true, from: `session ${actor.session}` });
    const passwords = { person: actor.id, current: body.currentPassword, next: body.newPassword };
    const changed = await unlessWithdrawn(attempt, () => changeOwnPassword(hashing, passwords));
    if (isRefusal(changed)) return changed;
    attempt.succeeded(actor.id);
    await parts.store.audit.note({ actor: { kind: 'person', id: actor.id, name: actor.name }, detail: {} },
      { action: 'changePassword', organization: actor.organization, subject: actor.id });
    addCookies(answerHeaders, await parts.sessions.begin({ person: actor.id, issuer: null, organization: actor.organization }, headers));
    return { done: true as const };
  },
});

const accept = openOperation({
  id: 'acceptInvitation', method: 'post', path: '/auth/invitations/accept', role: null, tag: 'auth', status: 201,
  refuses: ['wrong_password', 'invalid_password', 'invitation_not_valid', 'invalid_email', 'already_member', 'invalid_input'], bounded: true,
  summary: 'Join with a one-time link, with an email and a password or as who is signed in; starts a session',
  body: z.strictObject({ token: z.string().min(1).max(200), email: emailSent.optional(), password: password.optional() }), answer: memberSchema,
  run: async ({ context, parts, body: { token, email, password }, headers, answerHeaders }) => {
    if ((email === undefined) !== (password === undefined)) return refuseInput('invalid_input', 'Send both an email and a password, or neither.');
    const found = email === undefined ? await parts.sessions.find(headers) : null;
    if (email === undefined && found === null) return refuseInput('wrong_password', 'Send an email and a password, or sign in first.');
    const invitation = await openInvitation(context, token, email ?? null);
    if (isRefusal(invitation)) return invitation;
    // Only links of the same organization can use this count up; wrong sign-ins with the email do not count here.
    const attempt = email === undefined ? null
      : takeAttempt(parts, { kind: 'invitation', email: `${invitation.organization} ${email}`, address: `invitation ${invitation.id}` });
    const hashing = hashingFor(context, { isKnown: false, from: `join ${invitation.organization}` });
    const join = () => acceptInvitation(hashing, token, found === null ? { email: email!, password: password! } : found);
    const member = await (attempt === null ? join() : unlessWithdrawn(attempt, join));
    if (isRefusal(member)) return member;
    const who = { person: member.id, issuer: found?.providedBy ?? null, organization: member.organization };
    addCookies(answerHeaders, await parts.sessions.begin(who, headers));
    if (email !== undefined) knowBrowser({ email, person: member.id }, parts, { request: headers, answer: answerHeaders });
    return member;
  },
});

const setPassword = openOperation({
  id: 'usePasswordLink', method: 'post', path: '/auth/password-links/use', role: null, tag: 'auth',
  summary: 'Set a password with a one-time link; ends every other session of the person and starts a new one',
  refuses: ['password_link_not_valid', 'invalid_password'],
  body: z.strictObject({ token: z.string().min(1).max(200), password }), answer: z.object({ email: emailShown }).openapi('PasswordSet'),
  // Not counted: nobody guesses a token of 256 bits, and no password is hashed for an unknown one. A count would only lock out others.
  run: async ({ context, parts, body, headers, address, answerHeaders }) => {
    const person = await usePasswordLink(hashingFor(context, { isKnown: false, from: networkOf(address) }), body);
    if (isRefusal(person)) return person;
    const { id, organization, email } = person;
    addCookies(answerHeaders, await parts.sessions.begin({ person: id, issuer: null, organization }, headers));
    if (email !== null) knowBrowser({ email, person: id }, parts, { request: headers, answer: answerHeaders });
    return { email };
  },
});

export const authOperations = [ways, signIn, signOut, session, chooseOrganization, changePassword, accept, setPassword] as const;

/** Their passwords are hashed in their turn. */
function hashingFor(context: UseCaseContext, whom: HashedFor): UseCaseContext {
  return { ...context, passwords: hashingOf(context).askedBy(whom) };
}

/** @throws HttpRefusal 429 */
function takeAttempt({ attempts }: PlatformParts, who: Trier): Attempt {
  const taken = attempts.take(who);
  if (!isTooMany(taken)) return taken;
  const { status, code, message } = httpRefusalOf(taken.refusal);
  throw new HttpRefusal(status, code, message, { 'retry-after': String(taken.retryAfterSeconds) });
}

function addCookies(answerHeaders: Headers, from: Headers): void {
  for (const cookie of from.getSetCookie()) answerHeaders.append('set-cookie', cookie);
}
