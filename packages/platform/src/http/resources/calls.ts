/** Records of the organization's calls, newest first, a page at a time. Rules: Record; rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { callOutcomes } from '@metergate/core/record/call-record.ts';
import { costLacks, parseStatus, statusForm } from '@metergate/core/report/call-search.ts';
import { usageStates } from '@metergate/core/usage/reading.ts';
import { rangeOf } from '@metergate/core/time/time-range.ts';
import { pageCalls, showCall } from '../../use-cases/calls.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { readingOperation } from '../operation.ts';
import { decodeCursor, encodeCursor, invalidCursor, limitOf, pageOf, pageQuery } from '../paging.ts';
import { showCallCost } from '../../use-cases/call-cost.ts';
import { callCostSchema, callSchema } from './call-schema.ts';
import { checkedRange, endpointQuery, idParams, nameQuery, timeQuery, wireQuery, wrongForm } from './fields.ts';

const statusQuery = z.string().max(16).transform((text, { addIssue }) => parseStatus(text) ?? wrongForm(addIssue, statusForm))
  .openapi({ type: 'string', description: `A status: ${statusForm}.`, example: '4xx' });

export const callOperations = [
  readingOperation({
    id: 'listCalls', path: '/calls', role: 'viewer', tag: 'calls', summary: 'Call records, newest first',
    refuses: ['unknown_organization'],
    query: pageQuery.extend({ since: timeQuery.optional(), until: timeQuery.optional(),
      key: nameQuery, project: nameQuery, label: nameQuery, model: nameQuery, run: z.string().min(1).max(128).optional(),
      session: nameQuery, upstream: nameQuery, connection: z.string().min(1).max(128).optional().openapi({
        description: 'Responses of this WebSocket connection: the id of the call that opened it',
      }),
      outcome: z.enum(callOutcomes).optional(), usage: z.enum(usageStates).optional(), wire: wireQuery, endpoint: endpointQuery,
      status: statusQuery.optional(),
      lacks: z.enum(costLacks).optional().openapi({
        description: 'Calls whose cost is not whole: usage unknown or partial, a model without a price, gaps, or any of these',
      }),
    }),
    answer: pageOf(callSchema),
    run: async ({ context, actor, query }) => {
      const after = query.cursor === undefined ? undefined : placeIn(query.cursor);
      if (after === null) return invalidCursor();
      const range = checkedRange(rangeOf(query, context.nowMs));
      if (isRefusal(range)) return range;
      const limit = limitOf(query);
      const { limit: _, cursor: __, since: ___, until: ____, ...filter } = query;
      const records = await pageCalls(context, {
        organization: actor.organization, limit: limit + 1, ...(after === undefined ? {} : { after }),
        ...range, filter,
      });
      if (records === null) return invalidCursor();
      if (isRefusal(records)) return records;
      const data = records.slice(0, limit);
      const last = data.at(-1);
      const more = records.length > limit && last !== undefined;
      return { data, nextCursor: more ? encodeCursor(`${Date.parse(last.startedAt)} ${last.id}`) : null };
    },
  }),
  readingOperation({
    id: 'showCall', refuses: ['unknown_organization', 'unknown_call'], path: '/calls/{id}', role: 'viewer', tag: 'calls', summary: 'One call record',
    params: idParams, answer: callSchema, run: ({ context, actor, params }) => showCall(context, actor.organization, params.id),
  }),
  readingOperation({
    id: 'showCallCost', refuses: ['unknown_organization', 'unknown_call', 'invalid_price_file'], path: '/calls/{id}/cost', role: 'viewer',
    tag: 'calls', summary: 'The cost of one call, line by line, if the prices in force still give it',
    params: idParams, answer: callCostSchema, run: ({ context, actor, params }) => showCallCost(context, actor.organization, params.id),
  }),
] as const;

function placeIn(cursor: string): { readonly startedAtMs: number; readonly id: string } | null {
  const match = /^(\d{1,15}) (req_[0-9a-f]{32})$/.exec(decodeCursor(cursor));
  return match === null ? null : { startedAtMs: Number(match[1]), id: match[2]! };
}
