/** What the organization's calls used, by one or two dimensions. Design 5. */
import { z } from '@hono/zod-openapi';
import { usageDimensions } from '@metergate/core/report/usage-sum.ts';
import { rangeOrThisMonth } from '@metergate/core/time/time-range.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { dimensionsForm, parseDimensions, showUsage, type ShownUsage } from '../../use-cases/usage.ts';
import { readingOperation } from '../operation.ts';
import { pageOf, pageOfNamed, pageQuery } from '../paging.ts';
import { checkedRange, dollars, monthQuery, nameQuery, timeQuery, wrongForm } from './fields.ts';

const name = z.string().nullable().optional();
const whole = z.number();
const usageSchema = z.object({
  ...Object.fromEntries(usageDimensions.map((dimension) => [dimension, name])),
  calls: z.int(), inputTokens: whole, cachedTokens: whole, cacheWriteTokens: whole, outputTokens: whole, reasoningTokens: whole, cost: dollars,
  cacheSavings: dollars.nullable(), unknownCalls: z.int(), unpricedCalls: z.int(), gapCalls: z.int(),
}).openapi('Usage');

const byQuery = z.string().max(64).transform((text, { addIssue }) => parseDimensions(text) ?? wrongForm(addIssue, dimensionsForm))
  .openapi({ type: 'string', description: `What rows are told apart by: ${dimensionsForm}.`, example: 'day,model' });

export const usageOperations = [
  readingOperation({
    id: 'showUsage', refuses: ['unknown_organization'], path: '/usage', role: 'viewer', tag: 'usage',
    summary: 'Calls, tokens and cost: times in their order, of everything else the costliest first',
    query: pageQuery.extend({
      by: byQuery.optional(), month: monthQuery.optional(), since: timeQuery.optional(), until: timeQuery.optional(),
      key: nameQuery, project: nameQuery, model: nameQuery, label: nameQuery, run: nameQuery, wire: nameQuery, endpoint: nameQuery,
    }),
    answer: pageOf(usageSchema),
    run: async ({ context, actor, query }) => {
      const { by = ['day'], month, since, until, key, project, model, label, run, wire, endpoint } = query;
      const range = checkedRange(rangeOrThisMonth({ monthMs: month, since, until }, context.nowMs));
      if (isRefusal(range)) return range;
      const rows = await showUsage(context, {
        organization: actor.organization, by, ...range, filter: { key, project, model, label, run, wire, endpoint },
      });
      return isRefusal(rows) ? rows : pageOfNamed(rows, (row: ShownUsage) => by.map((each) => row[each] ?? '').join('\n'), query);
    },
  }),
] as const;
