/** What the organization's calls used, by one or two dimensions. Rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { hasRightsOf } from '@metergate/core/account/role.ts';
import { rangeOrThisMonth } from '@metergate/core/time/time-range.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';
import type { UsageRow } from '@metergate/store/usage/usage-reports.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../../use-cases/refusal.ts';
import { findFigures, goneBefore } from '../../use-cases/organizations.ts';
import { askedRows, showComparedUsage, type ComparedRequest } from '../../use-cases/compared-usage.ts';
import { usageFile } from '../../use-cases/export/usage-file.ts';
import { rankedRows, rankedUsage, topUsage, usageOrders, type RankedUsage } from '../../use-cases/top-usage.ts';
import type { PricesToTry } from '../../use-cases/repricing/prices-to-try.ts';
import {
  addedUp, askedDimensions, dimensionsForm, parseDimensions, rememberedTexts, shownRows, showUsage, tooManyRows, type AskedDimension,
} from '../../use-cases/usage.ts';
import { downloadOperation, readingOperation, readingPost, type ReadingCall } from '../operation.ts';
import { pageOf, pageOfList, pageQuery } from '../paging.ts';
import { checkedRange, dollars, endpointQuery, instant, lackingCalls, monthQuery, nameQuery, timeQuery, wireQuery, wrongForm } from './fields.ts';

const priceFileBytesMax = 1_048_576;

const name = z.string().nullable().optional();
const whole = z.number();
export const usageSchema = z.object({
  ...Object.fromEntries(askedDimensions.map((dimension) => [dimension, name])),
  calls: z.int(), inputTokens: whole, cachedTokens: whole, cacheWriteTokens: whole, outputTokens: whole, reasoningTokens: whole, cost: dollars,
  cacheSavings: dollars.nullable(), ...lackingCalls,
  correction: dollars.optional().openapi({ description: "With adjusted: the differences from providers' bills" }),
  adjustedCost: dollars.optional().openapi({ description: 'With adjusted: the recorded cost and its correction' }),
  repricedCalls: z.int().optional().openapi({ description: 'With prices: calls that have a cost by them' }),
  repricedCost: dollars.optional(), repricedFrom: dollars.optional().openapi({ description: 'What the same calls cost by their records' }),
  repricedGapCalls: z.int().optional(), notRepricedCalls: z.int().optional(),
  everythingElse: z.int().optional().openapi({
    description: 'With top: set on the row of everything else, whose dimensions are null but for a time; how many values it holds' }),
}).openapi('Usage');
const totalSchema = z.object({
  rows: z.int().openapi({ description: 'Of the whole list' }), calls: z.int(), inputTokens: whole, cachedTokens: whole, cacheWriteTokens: whole,
  outputTokens: whole, reasoningTokens: whole, cost: dollars, cacheSavings: dollars.nullable(), ...lackingCalls,
}).openapi('UsageTotal');

const byQuery = z.string().max(64).transform((text, { addIssue }) => parseDimensions(text) ?? wrongForm(addIssue, dimensionsForm))
  .openapi({ type: 'string', description: `The dimensions of the rows: ${dimensionsForm}.`, example: 'day,model' });

const questionQuery = z.object({
  by: byQuery.optional(), month: monthQuery.optional(), since: timeQuery.optional(), until: timeQuery.optional(),
  key: nameQuery, project: nameQuery, model: nameQuery, label: nameQuery, run: nameQuery, session: nameQuery, upstream: nameQuery,
  wire: wireQuery, endpoint: endpointQuery,
  adjusted: z.enum(['true', 'false']).optional()
    .openapi({ description: "Adds the differences from providers' bills; only by day, month, model and wire" }),
  order: z.enum(usageOrders).optional()
    .openapi({ description: 'The largest of these first. By default times are in order, all else costliest first' }),
});
const usageQuery = pageQuery.extend(questionQuery.shape);
const topQuery = z.string().regex(/^[1-9]\d{0,2}$/).transform(Number).optional().openapi({
  type: 'integer', minimum: 1, maximum: 999, description: 'Only so many values, ranked by order, and everything else in one row (of each time)' });

const priceFile = z.object({
  prices: z.array(z.unknown().openapi({ description: 'An entry of a price file, as `metergate prices load` takes it' })),
});

/** A chart has a colour for few. */
const largestMax = 20;

const totals = {
  top: topQuery,
  largest: z.string().regex(/^[1-9]\d?$/).transform(Number).refine((count) => count <= largestMax).optional().openapi({
    type: 'integer', minimum: 1, maximum: largestMax,
    description: 'Adds so many values, the largest by largestBy, and everything else, as top would show them: a list and a chart from one reading' }),
  largestBy: z.enum(usageOrders).optional().openapi({ description: 'What largest ranks by; cost unless given' }),
  total: z.enum(['true', 'false']).optional().openapi({
    description: 'Adds the figures of all calls that were asked for. Rows by label can be more, as a call can have several' }),
};
type Totalled = { readonly [Name in keyof typeof totals]?: z.output<(typeof totals)[Name]> };

const fileTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json' } as const;
const yes = z.enum(['true', 'false']).optional();
const fileQuery = questionQuery.extend({ format: z.enum(['csv', 'json']), bom: yes, decimalComma: yes });

/** What is asked for. */
function questionOf({ context, actor, query }: ReadingCall<undefined, typeof questionQuery>): ComparedRequest | AdministrationRefusal {
  const { by = ['day'], month, since, until, key, project, model, label, run, session, upstream, wire, endpoint } = query;
  if (by.includes('person') && !hasRightsOf(actor.role, 'admin')) return refuseInput('forbidden', 'Only an admin sees usage by person.');
  const range = checkedRange(rangeOrThisMonth({ monthMs: month, since, until }, context.nowMs));
  if (isRefusal(range)) return range;
  return { organization: actor.organization, by, ...range, filter: { key, project, model, label, run, session, upstream, wire, endpoint } };
}

type UsageCall = ReadingCall<undefined, typeof usageQuery> & { readonly query: Totalled };

/** A list of usage alone: of its rows only those of the page become texts. */
async function listed({ context, query }: UsageCall, question: ComparedRequest) {
  const { top, largest, largestBy = 'cost', order } = query;
  const { by, organization } = question;
  const found = await askedRows(context, question);
  if (found === null) return tooManyRows(by);
  if (isRefusal(found)) return found;
  const rows = order === undefined ? found : rankedRows(found, order);
  const list = { list: `usage by ${by.join(',')}`, organization };
  const beside = largest === undefined ? {} : { largest: topUsage(by, rankedRows(found, largestBy), { top: largest, order: largestBy }) };
  if (top !== undefined) {
    const page = pageOfRows(list, by, topUsage(by, rows, { top, order: order ?? 'cost' }), query);
    return isRefusal(page) ? page : { ...page, ...beside, rows: rows.length };
  }
  const textOf = rememberedTexts();
  const nameOf = ({ subjects }: UsageRow): string => [...by.map((each, index) => textOf(each, subjects[index]!) ?? ''), ''].join('\n');
  const page = pageOfList<UsageRow>(list, rows, { nameOf, query });
  return isRefusal(page) ? page : { ...page, data: shownRows(by, page.data), ...beside, rows: rows.length };
}

/** The same with corrections or other prices beside it. */
async function comparedList({ context, query }: UsageCall, question: ComparedRequest, prices: PricesToTry | undefined) {
  const { top, largest, order, adjusted } = query;
  if (top !== undefined || largest !== undefined) {
    return refuseInput('invalid_input', `${top === undefined ? 'largest' : 'top'} cannot be combined with adjusted or prices.`);
  }
  const { by, organization } = question;
  const found = await showComparedUsage(context, question, { adjusted: adjusted === 'true', ...(prices === undefined ? {} : { prices }) });
  if (isRefusal(found)) return found;
  const rows = order === undefined ? found : rankedUsage(found, order);
  const page = pageOfRows({ list: `usage by ${by.join(',')}`, organization }, by, rows, query);
  return isRefusal(page) ? page : { ...page, rows: rows.length };
}

function pageOfRows(
  list: Parameters<typeof pageOfList>[0], by: readonly AskedDimension[], rows: readonly RankedUsage[], query: UsageCall['query'],
) {
  return pageOfList<RankedUsage>(list, rows, {
    nameOf: (row) => [...by.map((each) => row[each] ?? ''), row.everythingElse ?? ''].join('\n'), query,
  });
}

async function answer(call: UsageCall, prices?: PricesToTry) {
  const { context, actor, query } = call;
  const question = questionOf(call);
  if (isRefusal(question)) return question;
  const found = query.adjusted === 'true' || prices !== undefined ? await comparedList(call, question, prices) : await listed(call, question);
  if (isRefusal(found)) return found;
  const organization = await findFigures(context, actor.organization);
  if (isRefusal(organization)) return organization;
  const all = query.total === 'true' ? await showUsage(context, { ...question, by: [] }) : null;
  if (isRefusal(all)) return all;
  const { rows, ...page } = found;
  return {
    ...page, recordsGoneBefore: goneBefore(organization, question.sinceMs),
    ...(all === null ? {} : { total: { rows, ...addedUp(all) } }),
  };
}

/** The whole list as a file. */
async function file({ query: { format, bom, decimalComma, ...query }, ...call }: ReadingCall<undefined, typeof fileQuery>) {
  const question = questionOf({ ...call, query });
  if (isRefusal(question)) return question;
  const pieces = await usageFile(call.context, question, {
    format, form: { byteOrderMark: bom === 'true', decimalComma: decimalComma === 'true' }, order: query.order, adjusted: query.adjusted === 'true',
  });
  if (isRefusal(pieces)) return pieces;
  const { by, sinceMs, untilMs } = question;
  const days = [sinceMs, untilMs].filter((ms) => ms !== undefined).map(dayName);
  return { download: { contentType: fileTypes[format], fileName: ['usage-by', ...by, ...days].join('-') + `.${format}`, pieces } };
}

const usagePage = pageOf(usageSchema).extend({
  largest: z.array(usageSchema).optional().openapi({ description: 'With largest: the largest values, and everything else' }),
  recordsGoneBefore: instant.nullable()
    .openapi({ description: 'Set if the range begins before this time: some or all earlier records were removed because of their age' }),
  total: totalSchema.optional(),
});

export const usageOperations = [
  readingOperation({
    id: 'showUsage', refuses: ['unknown_organization', 'forbidden'], path: '/usage', role: 'viewer', tag: 'usage',
    summary: 'Calls, tokens and cost; times in order, everything else costliest first',
    query: usageQuery.extend({
      ...totals,
      prices: z.enum(['list', 'current']).optional()
        .openapi({ description: 'Adds the cost at built-in list prices or at the prices in force now. Reads every record.' }),
    }),
    answer: usagePage,
    run: ({ query: { prices, ...query }, ...call }) => answer({ ...call, query }, prices),
  }),
  downloadOperation({
    id: 'downloadUsage', refuses: ['unknown_organization', 'forbidden'], path: '/usage/file', role: 'viewer', tag: 'usage',
    summary: 'The whole list as a file, every digit: CSV for ledgers and spreadsheets, or JSON',
    query: fileQuery, downloads: Object.values(fileTypes), run: file,
  }),
  readingPost({
    id: 'repriceUsage', refuses: ['unknown_organization', 'invalid_price_file', 'forbidden'], path: '/usage', role: 'viewer', tag: 'usage',
    summary: 'The same, with what the calls would cost by this price file over the frozen list; the file does not take effect',
    query: usageQuery, body: priceFile, bodyBytesMax: priceFileBytesMax, answer: usagePage,
    run: ({ body, ...call }) => answer(call, { file: JSON.stringify(body) }),
  }),
] as const;
