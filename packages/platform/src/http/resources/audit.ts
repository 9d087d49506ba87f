/** The audit trail of the organization: who, what, when. Rules: Roles. */
import { z } from '@hono/zod-openapi';
import { momentOf } from '@metergate/core/time/time-word.ts';
import { actorKinds, auditActions } from '@metergate/store/engine/change.ts';
import { listAudit } from '../../use-cases/audit.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { operation } from '../operation.ts';
import { decodeCursor, encodeCursor, limitOf, pageOf, pageQuery } from '../paging.ts';
import { instant, nameQuery, timeQuery } from './fields.ts';

const eventSchema = z.object({
  id: z.string(), organization: z.string().nullable(), at: instant,
  actor: z.object({ kind: z.enum(actorKinds), id: z.string().nullable(), name: z.string().nullable() }), action: z.enum(auditActions),
  subject: z.string().nullable(), detail: z.record(z.string(), z.unknown()),
}).openapi('AuditEvent');

export const auditOperations = [
  operation({
    id: 'listAudit', method: 'get', path: '/audit', role: 'admin', tag: 'audit',
    refuses: ['unknown_organization', 'invalid_cursor'],
    summary: 'Changes, newest first; optionally only those of one subject or of one kind',
    query: pageQuery.extend({ since: timeQuery.optional(), subject: nameQuery, action: z.enum(auditActions).optional() }),
    answer: pageOf(eventSchema),
    run: async ({ context, actor, query }) => {
      const limit = limitOf(query);
      const events = await listAudit(context, {
        organization: actor.organization, limit: limit + 1, ...(query.cursor === undefined ? {} : { after: decodeCursor(query.cursor) }),
        ...(query.subject === undefined ? {} : { subject: query.subject }),
        ...(query.action === undefined ? {} : { action: query.action }),
        ...(query.since === undefined ? {} : { sinceMs: momentOf(query.since, context.nowMs) }),
      });
      if (isRefusal(events)) return events;
      const data = events.slice(0, limit);
      return { data, nextCursor: events.length > limit ? encodeCursor(data.at(-1)!.id) : null };
    },
  }),
] as const;
