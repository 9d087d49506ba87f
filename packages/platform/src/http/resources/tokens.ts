/** Management tokens of the organization. Rule 16; rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { roles } from '@metergate/core/account/role.ts';
import { createToken, listTokens, revokeToken } from '../../use-cases/management-tokens.ts';
import { roleField } from '../../use-cases/users.ts';
import { operation } from '../operation.ts';
import { pageOf, pageQuery, placeByMaking, storedPage } from '../paging.ts';
import { idParams, instant, lifeSeconds, lifetimeMs } from './fields.ts';

const tokenFields = {
  id: z.string(), prefix: z.string(), name: z.string().nullable(), role: z.enum(roles), createdAt: instant,
  expiresAt: instant.nullable(), revokedAt: instant.nullable(),
};
const tokenSchema = z.object(tokenFields).openapi('ManagementToken');

export const tokenOperations = [
  operation({
    id: 'listTokens', refuses: ['unknown_organization'], method: 'get', path: '/tokens', role: 'admin', tag: 'tokens',
    summary: 'Management tokens, oldest first, without the tokens themselves',
    query: pageQuery, answer: pageOf(tokenSchema),
    run: ({ context, actor: { organization }, query }) => storedPage({ list: 'tokens', organization }, query, {
      read: (page) => listTokens(context, organization, page), placeOf: placeByMaking,
    }),
  }),
  operation({
    id: 'createToken', method: 'post', path: '/tokens', role: 'admin', tag: 'tokens', status: 201,
    refuses: ['unknown_organization', 'invalid_name', 'forbidden'],
    summary: 'Make a management token; it is shown only once',
    body: z.strictObject({ role: roleField, name: z.string().min(1).max(200).nullable().optional(), expiresInSeconds: lifeSeconds }),
    answer: z.object({ ...tokenFields, token: z.string() }).openapi('MintedManagementToken'),
    run: ({ context, actor, body }) => createToken(context, {
      organization: actor.organization, role: body.role, name: body.name ?? null, lifetimeMs: lifetimeMs(body.expiresInSeconds),
      maker: { kind: actor.kind, id: actor.id, role: actor.role },
    }),
  }),
  operation({
    id: 'revokeToken', method: 'delete', path: '/tokens/{id}', role: 'admin', tag: 'tokens', summary: 'Revoke a management token for good',
    refuses: ['unknown_token', 'forbidden'],
    params: idParams, answer: tokenSchema,
    run: ({ context, actor, params }) => revokeToken(context, { organization: actor.organization, id: params.id, by: actor.role }),
  }),
] as const;
