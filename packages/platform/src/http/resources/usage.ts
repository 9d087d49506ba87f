/** What the organization's calls used, by one dimension. Design 5. */
import { z } from '@hono/zod-openapi';
import { usageDimensions } from '@metergate/core/report/usage-sum.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { showUsage } from '../../use-cases/usage.ts';
import { readingOperation } from '../operation.ts';
import { pageOf, pageOfNamed, pageQuery } from '../paging.ts';
import { dollars, instantQuery } from './fields.ts';

const name = z.string().nullable().optional();
const usageSchema = z.object({
  model: name, key: name, project: name, label: name, run: name, day: name,
  calls: z.int(), inputTokens: z.number(), outputTokens: z.number(), cost: dollars, unknownCalls: z.int(), unpricedCalls: z.int(),
}).openapi('Usage');

export const usageOperations = [
  readingOperation({
    id: 'showUsage', path: '/usage', role: 'viewer', tag: 'usage',
    summary: 'Calls, tokens and cost: days in their order, of everything else the costliest first',
    query: pageQuery.extend({ by: z.enum(usageDimensions).default('day'), since: instantQuery.optional(), until: instantQuery.optional() }),
    answer: pageOf(usageSchema),
    run: async ({ context, actor, query }) => {
      const { by, since, until } = query;
      const rows = await showUsage(context, {
        organization: actor.organization, by, ...(since === undefined ? {} : { sinceMs: since }), ...(until === undefined ? {} : { untilMs: until }),
      });
      return isRefusal(rows) ? rows : pageOfNamed(rows, (row) => row[by] ?? '', query);
    },
  }),
] as const;
