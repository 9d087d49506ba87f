/** Members of the organization and invitations to it. Rules: Roles: admins manage roles up to admin, owners also owners. */
import { z } from '@hono/zod-openapi';
import { roles } from '@metergate/core/account/role.ts';
import {
  inviteUser, listInvitations, listMembers, makeMemberPasswordLink, removeMember, roleField, setMemberRole, withdrawInvitation,
} from '../../use-cases/users.ts';
import { operation } from '../operation.ts';
import { pageOf, pageQuery, placeByMaking, storedPage } from '../paging.ts';
import { emailSent, emailShown, fieldsBefore, idParams, instant } from './fields.ts';

const role = z.enum(roles);

export const memberSchema = z.object({
  id: z.string(), organization: z.string(), email: emailShown, role, createdAt: instant,
}).openapi('Member');

const invitationFields = { id: z.string(), organization: z.string(), email: emailShown.nullable(), role, createdAt: instant, expiresAt: instant };
const invitationSchema = z.object(invitationFields).openapi('Invitation');
const madeInvitationSchema = z.object({ ...invitationFields, link: z.url() }).openapi('MadeInvitation');

export const memberOperations = [
  operation({
    id: 'listMembers', method: 'get', path: '/members', role: 'admin', tag: 'members', summary: 'Members, oldest first',
    refuses: ['unknown_organization'],
    query: pageQuery, answer: pageOf(memberSchema),
    run: ({ context, actor: { organization }, query }) => storedPage({ list: 'members', organization }, query, {
      read: (page) => listMembers(context, organization, page), placeOf: placeByMaking,
    }),
  }),
  operation({
    id: 'setMemberRole', method: 'patch', path: '/members/{id}', role: 'admin', tag: 'members', summary: "Set a member's role",
    refuses: ['unknown_member', 'last_owner', 'forbidden', 'changed_meanwhile'], secrets: ['was'],
    params: idParams, body: z.strictObject({ role: roleField, was: fieldsBefore({ role }) }), answer: memberSchema,
    run: ({ context, actor, params, body }) =>
      setMemberRole(context, { organization: actor.organization, id: params.id, by: actor.role, role: body.role, was: body.was }),
  }),
  operation({
    id: 'removeMember', method: 'delete', path: '/members/{id}', role: 'admin', tag: 'members', summary: 'Remove the member',
    refuses: ['unknown_member', 'last_owner', 'forbidden'],
    params: idParams, answer: memberSchema,
    run: ({ context, actor, params }) => removeMember(context, { organization: actor.organization, id: params.id, by: actor.role }),
  }),
  operation({
    id: 'makeMemberPasswordLink', method: 'post', path: '/members/{id}/password-link', role: 'owner', tag: 'members', status: 201,
    summary: 'Make a one-time link that sets a member\'s password, for 24 hours; it is shown only once',
    refuses: ['unknown_member'], params: idParams, answer: z.object({ url: z.url() }).openapi('PasswordLink'),
    run: ({ context, parts, actor, params }) =>
      makeMemberPasswordLink(context, { organization: actor.organization, id: params.id, publicUrl: parts.publicUrl }),
  }),
  operation({
    id: 'listInvitations', method: 'get', path: '/invitations', role: 'admin', tag: 'members', summary: 'Open invitations, oldest first',
    refuses: ['unknown_organization'],
    query: pageQuery, answer: pageOf(invitationSchema),
    run: ({ context, actor: { organization }, query }) => storedPage({ list: 'invitations', organization }, query, {
      read: (page) => listInvitations(context, organization, page), placeOf: placeByMaking,
    }),
  }),
  operation({
    id: 'inviteMember', method: 'post', path: '/invitations', role: 'admin', tag: 'members', status: 201,
    refuses: ['unknown_organization', 'invalid_email', 'forbidden'],
    summary: 'Make a one-time link to join; it is shown only once',
    body: z.strictObject({ email: emailSent, role: roleField }), answer: madeInvitationSchema,
    run: ({ context, parts, actor, body }) => inviteUser(context, {
      organization: actor.organization, email: body.email, role: body.role, by: { role: actor.role, id: actor.id }, publicUrl: parts.publicUrl,
    }),
  }),
  operation({
    id: 'withdrawInvitation', method: 'delete', path: '/invitations/{id}', role: 'admin', tag: 'members', summary: 'Withdraw an open invitation',
    refuses: ['unknown_invitation', 'forbidden'],
    params: idParams, answer: invitationSchema,
    run: ({ context, actor, params }) => withdrawInvitation(context, { organization: actor.organization, id: params.id, by: actor.role }),
  }),
] as const;
