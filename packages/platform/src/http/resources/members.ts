/** Members of the organization and invitations to it. Design 5, Roles: admins up to admin, owners also owners. */
import { z } from '@hono/zod-openapi';
import { roles } from '@metergate/core/account/role.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import {
  inviteUser, listInvitations, listMembers, removeMember, roleField, setMemberRole, withdrawInvitation,
} from '../../use-cases/users.ts';
import { operation } from '../operation.ts';
import { pageOf, pageOfList, pageQuery } from '../paging.ts';
import { idParams, instant } from './fields.ts';

const role = z.enum(roles);

export const memberSchema = z.object({
  id: z.string(), organization: z.string(), email: z.string(), role, createdAt: instant,
}).openapi('Member');

const invitationFields = { id: z.string(), organization: z.string(), email: z.string().nullable(), role, createdAt: instant, expiresAt: instant };
const invitationSchema = z.object(invitationFields).openapi('Invitation');
const madeInvitationSchema = z.object({ ...invitationFields, link: z.url() }).openapi('MadeInvitation');

export const memberOperations = [
  operation({
    id: 'listMembers', method: 'get', path: '/members', role: 'admin', tag: 'members', summary: 'Members, oldest first',
    query: pageQuery, answer: pageOf(memberSchema),
    run: async ({ context, actor, query }) => {
      const members = await listMembers(context, actor.organization);
      return isRefusal(members) ? members : pageOfList(members, query);
    },
  }),
  operation({
    id: 'setMemberRole', method: 'patch', path: '/members/{id}', role: 'admin', tag: 'members', summary: "Set a member's role",
    params: idParams, body: z.strictObject({ role: roleField }), answer: memberSchema,
    run: ({ context, actor, params, body }) =>
      setMemberRole(context, { organization: actor.organization, id: params.id, by: actor.role, role: body.role }),
  }),
  operation({
    id: 'removeMember', method: 'delete', path: '/members/{id}', role: 'admin', tag: 'members', summary: 'Take the membership away',
    params: idParams, answer: memberSchema,
    run: ({ context, actor, params }) => removeMember(context, { organization: actor.organization, id: params.id, by: actor.role }),
  }),
  operation({
    id: 'listInvitations', method: 'get', path: '/invitations', role: 'admin', tag: 'members', summary: 'Open invitations, oldest first',
    query: pageQuery, answer: pageOf(invitationSchema),
    run: async ({ context, actor, query }) => {
      const invitations = await listInvitations(context, actor.organization);
      return isRefusal(invitations) ? invitations : pageOfList(invitations, query);
    },
  }),
  operation({
    id: 'inviteMember', method: 'post', path: '/invitations', role: 'admin', tag: 'members', status: 201,
    summary: 'Make a one-time link to join; it is shown this once',
    body: z.strictObject({ email: z.string().min(3).max(254), role: roleField }), answer: madeInvitationSchema,
    run: ({ context, parts, actor, body }) => inviteUser(context, {
      organization: actor.organization, email: body.email, role: body.role, by: { role: actor.role, id: actor.id }, publicUrl: parts.publicUrl,
    }),
  }),
  operation({
    id: 'withdrawInvitation', method: 'delete', path: '/invitations/{id}', role: 'admin', tag: 'members', summary: 'Make an open link void',
    params: idParams, answer: invitationSchema,
    run: ({ context, actor, params }) => withdrawInvitation(context, { organization: actor.organization, id: params.id, by: actor.role }),
  }),
] as const;
