/** One search over whatever has an id or a name. Rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { hasRightsOf } from '@metergate/core/account/role.ts';
import { findAnything, foundKinds } from '../../use-cases/find.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { readingOperation } from '../operation.ts';
import { asSeenBy } from './whose.ts';

export const findOperations = [
  readingOperation({
    id: 'find', refuses: ['unknown_organization'], path: '/find', role: 'viewer', tag: 'find',
    summary: 'Calls, refusals, runs, keys, people, projects, models and labels by an id, or by a part of a name',
    query: z.object({ text: z.string().min(1).max(200) }),
    answer: z.object({
      data: z.array(z.object({
        kind: z.enum(foundKinds), id: z.string(), name: z.string(),
        about: z.string().nullable().openapi({ description: 'Tells it from others of its kind' }),
      }).openapi('Found')).openapi({ description: 'At most five of each kind, ids first; people only for admins' }),
    }),
    run: async ({ context, actor, query: { text } }) => {
      const data = await findAnything(context, {
        organization: actor.organization, text, seesMembers: hasRightsOf(actor.role, 'admin'), keyAsSeen: (key) => asSeenBy(actor, key),
      });
      return isRefusal(data) ? data : { data };
    },
  }),
] as const;
