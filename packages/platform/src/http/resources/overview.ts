/** The organization's calls over time, and totals of the period before. */
import { z } from '@hono/zod-openapi';
import { pastWeekUnless, rangeOf } from '@metergate/core/time/time-range.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { showOverview } from '../../use-cases/overview.ts';
import { readingOperation } from '../operation.ts';
import { checkedRange, comparisonOf, dollars, instant, lackingCalls, timeQuery } from './fields.ts';

const whole = z.number();
const latency = z.object({ p50: whole.nullable(), p95: whole.nullable() }).openapi('Latency');
const figures = z.object({
  calls: z.int(), cost: dollars,
  inputTokens: whole, cachedTokens: whole, cacheWriteTokens: whole, outputTokens: whole, reasoningTokens: whole,
  ...lackingCalls, errorCalls: z.int(), throttledCalls: z.int(),
  latencyMs: latency, firstByteMs: latency,
}).openapi('OverviewFigures');

export const overviewOperations = [
  readingOperation({
    id: 'showOverview', refuses: ['unknown_organization'], path: '/overview', role: 'viewer', tag: 'overview',
    summary: 'Spend, calls, tokens, errors and latency by hour or day, with totals of the period before; the past week by default',
    query: z.object({ since: timeQuery.optional(), until: timeQuery.optional() }),
    answer: z.object({
      since: instant, until: instant, step: z.enum(['hour', 'day']), series: z.array(figures.extend({ at: instant })),
      total: figures, before: figures, comparison: comparisonOf(figures, 'records of it were removed for their age'),
    }).openapi('Overview'),
    run: async ({ context, actor, query }) => {
      const range = checkedRange(rangeOf(query, context.nowMs));
      if (isRefusal(range)) return range;
      return showOverview(context, { organization: actor.organization, ...pastWeekUnless(range, context.nowMs) });
    },
  }),
] as const;
