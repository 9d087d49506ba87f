/** Service keys of the organization. Design 3, row 17; design 5. */
import { z } from '@hono/zod-openapi';
import { createServiceKey, listServiceKeys, revokeServiceKey } from '../../use-cases/service-keys.ts';
import { operation } from '../operation.ts';
import { pageOf, pageQuery, placeByMaking, storedPage } from '../paging.ts';
import { dollars, dollarsSent, idParams, instant, lifeSeconds, lifetimeMs } from './fields.ts';

const keyFields = {
  id: z.string(), prefix: z.string(), name: z.string().nullable(), project: z.string().nullable(), createdAt: instant,
  expiresAt: instant.nullable(), revokedAt: instant.nullable(), maxRunBudget: dollars.nullable(),
};
const keySchema = z.object(keyFields).openapi('ServiceKey');

export const keyOperations = [
  operation({
    id: 'listKeys', method: 'get', path: '/keys', role: 'viewer', tag: 'keys', summary: 'Service keys, oldest first, without the keys themselves',
    refuses: ['unknown_organization'],
    query: pageQuery, answer: pageOf(keySchema),
    run: ({ context, actor: { organization }, query }) => storedPage({ list: 'keys', organization }, query, {
      read: (page) => listServiceKeys(context, organization, page), placeOf: placeByMaking,
    }),
  }),
  operation({
    id: 'createKey', method: 'post', path: '/keys', role: 'member', tag: 'keys', status: 201, summary: 'Make a service key; it is shown this once',
    refuses: ['unknown_organization', 'invalid_name', 'invalid_setting'],
    body: z.strictObject({
      name: z.string().min(1).max(200).nullable().optional(), project: z.string().min(1).nullable().optional(),
      expiresInSeconds: lifeSeconds, maxRunBudget: dollarsSent.nullable().optional(),
    }),
    answer: z.object({ id: z.string(), key: z.string(), prefix: z.string(), maxRunBudget: dollars.optional() }).openapi('MintedServiceKey'),
    run: ({ context, actor, body }) => createServiceKey(context, {
      organization: actor.organization, name: body.name ?? null, project: body.project ?? null,
      lifetimeMs: lifetimeMs(body.expiresInSeconds), maxRunBudget: body.maxRunBudget ?? null,
    }),
  }),
  operation({
    id: 'revokeKey', method: 'delete', path: '/keys/{id}', role: 'member', tag: 'keys', summary: 'Revoke a service key for good',
    refuses: ['unknown_key'],
    params: idParams, answer: z.object({ ...keyFields, alreadyRevoked: z.boolean() }).openapi('RevokedServiceKey'),
    run: ({ context, actor, params }) => revokeServiceKey(context, params.id, actor.organization),
  }),
] as const;
