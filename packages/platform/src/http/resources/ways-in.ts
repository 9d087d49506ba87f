/** The ways into the signed-in person's account; each can be ended. Rule 16. */
import { z } from '@hono/zod-openapi';
import { endWayIn, listWaysIn } from '../../use-cases/ways-in.ts';
import { operation } from '../operation.ts';
import { idParams, instant } from './fields.ts';

const wayInSchema = z.object({
  id: z.string(), kind: z.enum(['password', 'identity', 'session', 'token']),
  organization: z.object({ id: z.string(), name: z.string() }).nullable()
    .openapi({ description: 'Of a session or token. Null: it opens every organization of the person' }),
  issuer: z.string().nullable().openapi({ description: 'The identity provider behind it; null: none' }),
  name: z.string().nullable().openapi({ description: 'A session\'s browser, as it names itself; a token\'s name or prefix' }),
  createdAt: instant, expiresAt: instant.nullable(), current: z.boolean().openapi({ description: 'The session that asks' }),
}).openapi('WayIn');

export const wayInOperations = [
  operation({
    id: 'listWaysIn', method: 'get', path: '/auth/ways-in', role: 'viewer', tag: 'auth',
    summary: 'Every open way into one\'s own account: password, identities, sessions, and tokens that one made',
    answer: z.object({ data: z.array(wayInSchema) }).openapi('WaysIn'),
    run: async ({ context, actor }) => ({ data: await listWaysIn(context, actor) }),
  }),
  operation({
    id: 'endWayIn', method: 'delete', path: '/auth/ways-in/{id}', role: 'viewer', tag: 'auth',
    refuses: ['unknown_way_in', 'last_way_in'], params: idParams, answer: wayInSchema,
    summary: 'End one way into one\'s own account; with the password or an identity, the other sessions that began with it end too',
    run: ({ context, actor, params }) => endWayIn(context, actor, params.id),
  }),
] as const;
