/** What the organization's calls used, by one or two dimensions. Rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { usageDimensions } from '@metergate/core/report/usage-sum.ts';
import { rangeOrThisMonth } from '@metergate/core/time/time-range.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { findFigures, goneBefore } from '../../use-cases/organizations.ts';
import { showComparedUsage } from '../../use-cases/compared-usage.ts';
import type { PricesToTry } from '../../use-cases/repricing/prices-to-try.ts';
import { dimensionsForm, parseDimensions, type ShownUsage } from '../../use-cases/usage.ts';
import { readingOperation, readingPost, type ReadingCall } from '../operation.ts';
import { pageOf, pageOfList, pageQuery } from '../paging.ts';
import { checkedRange, dollars, endpointQuery, instant, lackingCalls, monthQuery, nameQuery, timeQuery, wireQuery, wrongForm } from './fields.ts';

const priceFileBytesMax = 1_048_576;

const name = z.string().nullable().optional();
const whole = z.number();
const usageSchema = z.object({
  ...Object.fromEntries(usageDimensions.map((dimension) => [dimension, name])),
  calls: z.int(), inputTokens: whole, cachedTokens: whole, cacheWriteTokens: whole, outputTokens: whole, reasoningTokens: whole, cost: dollars,
  cacheSavings: dollars.nullable(), ...lackingCalls,
  correction: dollars.optional().openapi({ description: "With adjusted: the differences from providers' bills" }),
  adjustedCost: dollars.optional().openapi({ description: 'With adjusted: the recorded cost and its correction' }),
  repricedCalls: z.int().optional().openapi({ description: 'With prices: calls that have a cost by them' }),
  repricedCost: dollars.optional(), repricedFrom: dollars.optional().openapi({ description: 'What the same calls cost by their records' }),
  repricedGapCalls: z.int().optional(), notRepricedCalls: z.int().optional(),
}).openapi('Usage');

const byQuery = z.string().max(64).transform((text, { addIssue }) => parseDimensions(text) ?? wrongForm(addIssue, dimensionsForm))
  .openapi({ type: 'string', description: `The dimensions of the rows: ${dimensionsForm}.`, example: 'day,model' });

const usageQuery = pageQuery.extend({
  by: byQuery.optional(), month: monthQuery.optional(), since: timeQuery.optional(), until: timeQuery.optional(),
  key: nameQuery, project: nameQuery, model: nameQuery, label: nameQuery, run: nameQuery, session: nameQuery, upstream: nameQuery,
  wire: wireQuery, endpoint: endpointQuery,
  adjusted: z.enum(['true', 'false']).optional()
    .openapi({ description: "Adds the differences from providers' bills; only by day, month, model and wire" }),
});

const priceFile = z.object({
  prices: z.array(z.unknown().openapi({ description: 'An entry of a price file, as `metergate prices load` takes it' })),
});

type UsageInput = z.output<typeof usageQuery>;

async function answer({ context, actor, query }: ReadingCall<undefined, typeof usageQuery>, prices: PricesToTry | undefined) {
  const { by = ['day'], month, since, until, key, project, model, label, run, session, upstream, wire, endpoint, adjusted }: UsageInput = query;
  const range = checkedRange(rangeOrThisMonth({ monthMs: month, since, until }, context.nowMs));
  if (isRefusal(range)) return range;
  const rows = await showComparedUsage(context, {
    organization: actor.organization, by, ...range, filter: { key, project, model, label, run, session, upstream, wire, endpoint },
  }, { adjusted: adjusted === 'true', ...(prices === undefined ? {} : { prices }) });
  if (isRefusal(rows)) return rows;
  const page = pageOfList<ShownUsage>({ list: `usage by ${by.join(',')}`, organization: actor.organization }, rows, {
    nameOf: (row) => by.map((each) => row[each] ?? '').join('\n'), query,
  });
  if (isRefusal(page)) return page;
  const organization = await findFigures(context, actor.organization);
  return isRefusal(organization) ? organization : { ...page, recordsGoneBefore: goneBefore(organization, range.sinceMs) };
}

const usagePage = pageOf(usageSchema).extend({
  recordsGoneBefore: instant.nullable()
    .openapi({ description: 'Set if the range begins before this time: some or all earlier records were removed because of their age' }),
});

export const usageOperations = [
  readingOperation({
    id: 'showUsage', refuses: ['unknown_organization'], path: '/usage', role: 'viewer', tag: 'usage',
    summary: 'Calls, tokens and cost; times in order, everything else costliest first',
    query: usageQuery.extend({
      prices: z.enum(['list', 'current']).optional()
        .openapi({ description: 'Adds the cost at built-in list prices or at the prices in force now. Reads every record.' }),
    }),
    answer: usagePage,
    run: ({ query: { prices, ...query }, ...call }) => answer({ ...call, query }, prices),
  }),
  readingPost({
    id: 'repriceUsage', refuses: ['unknown_organization', 'invalid_price_file'], path: '/usage', role: 'viewer', tag: 'usage',
    summary: 'The same, with what the calls would cost by this price file over the frozen list; the file does not take effect',
    query: usageQuery, body: priceFile, bodyBytesMax: priceFileBytesMax, answer: usagePage,
    run: ({ body, ...call }) => answer(call, { file: JSON.stringify(body) }),
  }),
] as const;
