/** Refused calls: who, why, how often. */
import { z } from '@hono/zod-openapi';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import { pastWeekUnless, rangeOf } from '@metergate/core/time/time-range.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { refusalRowsMax, showRefusals } from '../../use-cases/refusals.ts';
import { listRefusals, showRefusal } from '../../use-cases/refusal-log.ts';
import { readingOperation } from '../operation.ts';
import { pageOf, pageQuery, storedPage } from '../paging.ts';
import { checkedRange, comparisonOf, idParams, instant, nameQuery, timeQuery } from './fields.ts';

const reason = {
  code: z.string().openapi({ description: 'The `error.code` of the answer' }),
  scope: z.enum(['organization', 'key', 'person', 'label', 'run']).nullable().openapi({
    description: 'Scope of the budget that refused the call; null: no budget did',
  }),
  window: z.enum(['run', ...calendarWindows]).nullable(),
};

export const refusalSchema = z.object({
  id: z.string().openapi({ description: '`x-svc-request-id` of the answer' }),
  answerId: z.string().openapi({ description: '`x-request-id` of the answer, which SDKs show' }),
  key: z.string(), run: z.string().nullable().openapi({ description: 'The run that the call named' }),
  ...reason, refusedAt: instant,
}).openapi('Refusal');

export const refusalOperations = [
  readingOperation({
    id: 'listRefusals', refuses: ['unknown_organization'], path: '/refusals/log', role: 'viewer', tag: 'refusals',
    summary: 'Single refused calls, newest first: the newest of each key, kept for fourteen days at most',
    query: pageQuery.extend({
      since: timeQuery.optional(), until: timeQuery.optional(), request: nameQuery.openapi({ description: 'Either id of the answer' }),
      key: nameQuery, run: z.string().min(1).max(128).optional(), code: nameQuery,
    }),
    answer: pageOf(refusalSchema),
    run: async ({ context, actor: { organization }, query }) => {
      const range = checkedRange(rangeOf(query, context.nowMs));
      if (isRefusal(range)) return range;
      const { request, key, run, code } = query;
      return storedPage({ list: 'refusals', organization }, query, {
        read: (page) => listRefusals(context, { organization, ...range, ...page, filter: { request, key, run, code } }),
        placeOf: ({ refusedAt, id }) => ({ at: Date.parse(refusedAt), id }),
      });
    },
  }),
  readingOperation({
    id: 'showRefusal', refuses: ['unknown_organization', 'unknown_refusal'], path: '/refusals/log/{id}', role: 'viewer', tag: 'refusals',
    summary: 'One refused call, by either id of its answer', params: idParams, answer: refusalSchema,
    run: ({ context, actor, params }) => showRefusal(context, actor.organization, params.id),
  }),
  readingOperation({
    id: 'showRefusals', refuses: ['unknown_organization'], path: '/refusals', role: 'viewer', tag: 'refusals',
    summary: 'Refused calls by reason, key and time, counted by hour and kept for ninety days; the past week by default',
    query: z.object({ since: timeQuery.optional(), until: timeQuery.optional() }),
    answer: z.object({
      organization: z.string(), since: instant, until: instant, step: z.enum(['hour', 'day']), total: z.int(),
      before: z.int().openapi({ description: 'In the period of the same length just before' }),
      comparison: comparisonOf(z.int(), 'counts of it are no longer kept'),
      byCode: z.array(z.object({ code: z.string(), refusals: z.int() })).openapi({ description: 'Most frequent first' }),
      series: z.array(z.object({ at: instant, byCode: z.record(z.string(), z.int()) })),
      rows: z.array(z.object({
        key: z.string().nullable().openapi({ description: 'Null: too many keys were refused to be counted separately' }),
        ...reason,
        refusals: z.int(), firstHour: instant, lastHour: instant,
      }).openapi('RefusalsOfKey')).openapi({ description: `Most frequent first, at most ${refusalRowsMax}` }),
    }).openapi('Refusals'),
    run: async ({ context, actor, query }) => {
      const range = checkedRange(rangeOf(query, context.nowMs));
      if (isRefusal(range)) return range;
      return showRefusals(context, { organization: actor.organization, ...pastWeekUnless(range, context.nowMs) });
    },
  }),
] as const;
