/** Spend caps of the organization. Spec: Budget cap; rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { capScopes } from '@metergate/core/spend/cap.ts';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import { capFields, capStates, pageCaps, removeCap, setCap } from '../../use-cases/caps.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { tryCap, trialFields } from '../../use-cases/cap-try/cap-try.ts';
import { operation, readingOperation } from '../operation.ts';
import { pageOf, pageQuery, storedPage } from '../paging.ts';
import { ofOthers, seesSpendOf } from './whose.ts';
import { dollars, dollarsSent, fieldsBeforeOrNone, idParams, instant, lackingCalls } from './fields.ts';

const capSchema = z.object({
  id: z.string(), scope: z.enum(capScopes), key: z.string().nullable(), project: z.string().nullable(),
  person: z.string().nullable().openapi({ description: 'Email of the member. Such a cap is listed for admins and the member' }),
  label: z.string().nullable(), window: z.enum(calendarWindows),
  limit: dollars, mode: z.enum(['refuse', 'pause']), spent: dollars, ...lackingCalls,
  state: z.enum(capStates), resetsAt: instant.nullable(),
  forecastAt: instant.nullable().openapi({ description: 'When it is reached at the pace of the last seven days; null: not at this pace' }),
  pacePerDay: dollars,
}).openapi('Cap');

const trialSchema = z.object({
  wouldRefuse: z.object({ calls: z.int(), cost: dollars }),
  windows: z.array(z.object({ startsAt: instant, reachedAt: instant, refusedCalls: z.int(), refusedCost: dollars })),
  tried: z.object({ calls: z.int(), cost: dollars, since: instant }),
}).openapi('CapTrial');

const trialQuery = z.object({
  scope: trialFields.shape.scope, key: z.string().optional().openapi({ description: 'With scope key, and only then: the id of the service key' }),
  project: z.string().optional().openapi({ description: 'With scope project, and only then' }),
  person: z.string().optional().openapi({ description: 'With scope person, and only then: the email of a member. Members try their own' }),
  label: z.string().optional().openapi({ description: 'With scope label, and only then' }),
  window: trialFields.shape.window, limit: dollarsSent,
});

export const capOperations = [
  readingOperation({
    id: 'tryCap', path: '/caps/try', role: 'viewer', tag: 'caps', summary: 'What a cap would have refused in the past thirty days, had it been set',
    refuses: ['unknown_organization', 'unknown_key', 'unknown_member'],
    query: trialQuery, answer: trialSchema,
    run: async ({ context, actor, query: { key = null, project = null, person = null, label = null, ...query } }) =>
      ofOthers(actor, person, 'try the caps of') ?? tryCap(context, { ...query, key, project, person, label, organization: actor.organization }),
  }),
  operation({
    id: 'listCaps', method: 'get', path: '/caps', role: 'viewer', tag: 'caps', summary: 'Caps with what was spent, in the order they were made',
    refuses: ['unknown_organization'],
    query: pageQuery, answer: pageOf(capSchema),
    run: async ({ context, actor, actor: { organization }, query }) => {
      const page = await storedPage({ list: 'caps', organization }, query, {
        read: (wanted) => pageCaps(context, organization, wanted), placeOf: ({ place }) => place,
      });
      return isRefusal(page) ? page : { ...page, data: page.data.map(({ item }) => item).filter((cap) => seesSpendOf(actor, cap)) };
    },
  }),
  operation({
    id: 'setCap', method: 'post', path: '/caps', role: 'admin', tag: 'caps', status: 201,
    refuses: ['unknown_organization', 'unknown_key', 'unknown_member', 'invalid_setting', 'invalid_name', 'changed_meanwhile'], secrets: ['was'],
    summary: 'Set a cap; one of the same scope, subject and window keeps its id',
    body: capFields.extend({ was: fieldsBeforeOrNone({ limit: dollars, mode: z.string() }) }), answer: capSchema,
    run: ({ context, actor, sent }) => setCap(context, { ...sent, organization: actor.organization }),
  }),
  operation({
    id: 'removeCap', method: 'delete', path: '/caps/{id}', role: 'admin', tag: 'caps', summary: 'Remove a cap',
    refuses: ['unknown_cap'],
    params: idParams, answer: z.object({ id: z.string(), removed: z.literal(true) }).openapi('RemovedCap'),
    run: ({ context, actor, params }) => removeCap(context, params.id, actor.organization),
  }),
] as const;
