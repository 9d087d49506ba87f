/** Months: shown, closed, reopened, and as a file that anyone can verify. Rule 24b; docs/month.md. */
import { z } from '@hono/zod-openapi';
import { closeAndShow, exportMonth, listMonths, monthFileType, reopenMonth, showMonth } from '../../use-cases/months/months.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { downloadOperation, operation, readingOperation } from '../operation.ts';
import { pageOf, pageOfShortList, shortListQuery } from '../paging.ts';
import { dollars, instant, lackingCalls, monthQuery } from './fields.ts';
import { seesPeople } from './whose.ts';

export const digest = z.string().openapi({ description: 'SHA-256 in hexadecimal', pattern: '^[0-9a-f]{64}$' });
export const monthShown = z.string().openapi({ example: '2026-10', pattern: '^\\d{4}-\\d{2}$' });
const versionFields = {
  version: z.int(), closedAt: instant, reopenedAt: instant.nullable(),
  sequence: z.int().openapi({ description: 'Where the chain of receipts ended: later records are not in it' }), hash: digest, digest,
  key: z.string().openapi({ description: 'Id of the key that signed' }), signature: z.string(),
};
export const figuresFields = {
  calls: z.int(), inputTokens: z.int(), cachedTokens: z.int(), cacheWriteTokens: z.int(), outputTokens: z.int(), reasoningTokens: z.int(),
  cost: dollars, cacheSavings: dollars.nullable(), ...lackingCalls,
};
const figuresSchema = z.object(figuresFields);
const nodesSchema = z.array(z.object({ node: z.string(), reason: z.string() }))
  .openapi({ description: 'Nodes that the month was closed without or, before its closing, that may still hold calls of it' });

const monthSchema = z.object({
  month: monthShown, state: z.enum(['running', 'open', 'closed']).openapi({ description: 'running: it is not over' }),
  version: z.int().nullable().openapi({ description: 'The closing whose figures are shown; null: the current figures' }),
  figures: figuresSchema, correction: dollars.openapi({ description: "What bills differ by, on the month's own days" }),
  late: z.array(z.object({ month: monthShown, calls: z.int(), cost: dollars, correction: dollars }))
    .openapi({ description: 'What was learned of months that were closed before, by the month that it concerns' }),
  adjustedCost: dollars.openapi({ description: 'Cost, correction and all that came late together' }),
  nodes: nodesSchema, versions: z.array(z.object(versionFields)),
}).openapi('Month');

const listedSchema = z.object({
  id: monthShown, month: monthShown, state: z.enum(['open', 'closed']), ...versionFields, calls: z.int(), cost: dollars,
  correction: dollars, late: dollars, lateCorrection: dollars, adjustedCost: dollars,
}).openapi('ListedMonth');

export const monthParams = z.object({ month: monthQuery });
export const versionQuery = z.object({ version: z.coerce.number().int().min(1).max(1_000_000).optional().openapi({
  type: 'integer', minimum: 1, maximum: 1_000_000, description: 'One of its closings, from 1' }) });
export const givenVersion = (version: number | undefined) => (version === undefined ? {} : { version });

export const monthReadings = [
  readingOperation({
    id: 'showMonth', refuses: ['unknown_organization', 'unknown_month'], path: '/months/{month}', role: 'viewer', tag: 'months',
    summary: 'A month: its figures, as they are or as they were closed, and every version of it',
    params: monthParams, query: versionQuery, answer: monthSchema,
    run: ({ context, actor, params: { month }, query: { version } }) =>
      showMonth(context, { organization: actor.organization, monthMs: month, ...givenVersion(version) }),
  }),
  downloadOperation({
    id: 'exportMonth', refuses: ['unknown_organization', 'unknown_month'], path: '/months/{month}/file', role: 'viewer', tag: 'months',
    summary: 'A closed month as a signed file; the version in force by default. Rules of allocation that name people are in it for admins',
    params: monthParams, query: versionQuery, downloads: [monthFileType],
    run: async ({ context, actor, params: { month }, query: { version } }) => {
      const made = await exportMonth(context, { organization: actor.organization, monthMs: month, ...givenVersion(version) },
        { people: seesPeople(actor) });
      return isRefusal(made) ? made : { download: made };
    },
  }),
] as const;

export const monthOperations = [
  ...monthReadings,
  operation({
    id: 'listMonths', method: 'get', path: '/months', role: 'viewer', tag: 'months', refuses: ['unknown_organization'],
    summary: 'The months that were ever closed, latest first', query: shortListQuery, answer: pageOf(listedSchema),
    run: ({ context, actor: { organization }, query }) =>
      pageOfShortList({ list: 'months', organization }, listMonths(context, organization), query),
  }),
  operation({
    id: 'closeMonth', method: 'post', path: '/months/{month}/close', role: 'admin', tag: 'months',
    summary: 'Freeze and sign the figures and corrections of a month that is over',
    refuses: [
      'unknown_organization', 'month_not_over', 'month_closed', 'month_order', 'month_incomplete', 'month_waiting', 'month_changed', 'no_receipts',
      'too_many_parts',
    ],
    params: monthParams, body: z.object({
      without: z.array(z.string().max(200)).max(1_000).optional().openapi({ description: 'Ids of nodes whose calls are not waited for' }),
      goOn: z.boolean().optional().openapi({ description: 'No node is waited for' }),
    }), answer: monthSchema,
    run: ({ context, actor, params: { month }, body: { without, goOn } }) => closeAndShow(context, {
      organization: actor.organization, monthMs: month, ...(without === undefined ? {} : { without }), ...(goOn === undefined ? {} : { goOn }),
    }),
  }),
  operation({
    id: 'reopenMonth', method: 'post', path: '/months/{month}/reopen', role: 'owner', tag: 'months',
    summary: 'Open the last closed month again; what was closed stays readable as its version',
    refuses: ['unknown_organization', 'month_not_closed', 'month_order'], params: monthParams, answer: monthSchema,
    run: ({ context, actor, params: { month } }) => reopenMonth(context, { organization: actor.organization, monthMs: month }),
  }),
] as const;
