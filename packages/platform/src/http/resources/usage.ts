/** What the organization's calls used, by one dimension. Design 5. */
import { z } from '@hono/zod-openapi';
import { usageDimensions } from '@metergate/core/report/usage-sum.ts';
import { rangeOrThisMonth } from '@metergate/core/time/time-range.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { showUsage } from '../../use-cases/usage.ts';
import { readingOperation } from '../operation.ts';
import { pageOf, pageOfNamed, pageQuery } from '../paging.ts';
import { checkedRange, dollars, monthQuery, timeQuery } from './fields.ts';

const name = z.string().nullable().optional();
const usageSchema = z.object({
  model: name, key: name, project: name, label: name, run: name, day: name,
  calls: z.int(), inputTokens: z.number(), outputTokens: z.number(), cost: dollars, unknownCalls: z.int(), unpricedCalls: z.int(), gapCalls: z.int(),
}).openapi('Usage');

export const usageOperations = [
  readingOperation({
    id: 'showUsage', refuses: ['unknown_organization'], path: '/usage', role: 'viewer', tag: 'usage',
    summary: 'Calls, tokens and cost: days in their order, of everything else the costliest first',
    query: pageQuery.extend({ by: z.enum(usageDimensions).default('day'), month: monthQuery.optional(), since: timeQuery.optional(),
      until: timeQuery.optional(), }),
    answer: pageOf(usageSchema),
    run: async ({ context, actor, query }) => {
      const { by, month, since, until } = query;
      const range = checkedRange(rangeOrThisMonth({ monthMs: month, since, until }, context.nowMs));
      if (isRefusal(range)) return range;
      const rows = await showUsage(context, { organization: actor.organization, by, ...range });
      return isRefusal(rows) ? rows : pageOfNamed(rows, (row) => row[by] ?? '', query);
    },
  }),
] as const;
