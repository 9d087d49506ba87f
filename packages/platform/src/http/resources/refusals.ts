/** Refused calls: who, why, how often. */
import { z } from '@hono/zod-openapi';
import { pastWeekUnless, rangeOf } from '@metergate/core/time/time-range.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { rowsMax, showRefusals } from '../../use-cases/refusals.ts';
import { readingOperation } from '../operation.ts';
import { checkedRange, comparisonOf, instant, timeQuery } from './fields.ts';

export const refusalOperations = [
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
        code: z.string().openapi({ description: 'The `error.code` of the answers' }),
        scope: z.enum(['organization', 'key', 'person', 'label', 'run']).nullable().openapi({
          description: 'Scope of the budget that refused the call; null: no budget did' }),
        window: z.enum(['run', 'day', 'week', 'month', 'year', 'lifetime']).nullable(),
        refusals: z.int(), firstHour: instant, lastHour: instant,
      }).openapi('RefusalsOfKey')).openapi({ description: `Most frequent first, at most ${rowsMax}` }),
    }).openapi('Refusals'),
    run: async ({ context, actor, query }) => {
      const range = checkedRange(rangeOf(query, context.nowMs));
      if (isRefusal(range)) return range;
      return showRefusals(context, { organization: actor.organization, ...pastWeekUnless(range, context.nowMs) });
    },
  }),
] as const;
