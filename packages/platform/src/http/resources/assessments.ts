/**
 * `/platform/v1/assessments`: the Baseline, its report, its tap key. Spec: Other routes, Tap key; rule 20; rules: Interfaces (roles).
 * The key is read by GET, once. Requests that a browser makes on its own (HEAD, a prefetch, another site's) do not read it.
 */
import { z } from '@hono/zod-openapi';
import { tapStopReasons } from '@metergate/core/tap/event.ts';
import {
  createBaseline, declareFigure, listBaselines, readTapKey, retireBaseline, rotateTapKey, showBaseline,
} from '../../use-cases/baselines.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { operation, readingOperation } from '../operation.ts';
import { pageOf, pageOfList, pageQuery } from '../paging.ts';
import { dollarsSent, instant } from './fields.ts';

const params = z.object({ id: z.string().min(1).max(64) });

const label = <const Label extends 'reported' | 'modeled' | 'declared'>(name: Label) => z.literal(name);
const reported = z.object({ value: z.number(), label: label('reported') }).openapi('ReportedFigure');
const reportedOrNone = z.object({ value: z.number().nullable(), label: label('reported') }).openapi('ReportedFigureOrNone');
const modeled = z.object({ value: z.string().nullable(), label: label('modeled') }).openapi('ModeledFigure');
const declared = z.object({ value: z.string(), label: label('declared') }).openapi('DeclaredFigure');

const day = z.iso.date();

const figures = {
  calls: reported, inputTokens: reported, outputTokens: reported, cachedTokens: reported, cost: modeled, unpricedCalls: reported,
  toolCalls: reported, retries: reported, failures: reported, rateLimited: reported, serverErrors: reported, noResponse: reported,
  stopReasons: z.object(Object.fromEntries(tapStopReasons.map((reason) => [reason, reported]))),
  latencyMs: z.object({ p50: reportedOrNone, p90: reportedOrNone, p95: reportedOrNone, p99: reportedOrNone }),
};

const report = z.object({
  priceList: z.string(),
  from: day.nullable().openapi({ description: 'The first of the seven days; null before they begin: the figures then cover everything' }),
  to: day.nullable().openapi({ description: 'The day after the last' }),
  total: z.object(figures),
  byModel: z.array(z.object({ provider: z.string(), model: z.string(), ...figures })),
  byProvider: z.array(z.object({ provider: z.string(), ...figures })),
  byTag: z.array(z.object({ tag: z.string(), ...figures })),
  tagsOmitted: z.int(),
  byDay: z.array(z.object({ day, ...figures })),
  outside: z.object(figures).nullable().openapi({ description: 'What was reported for other days; not included in the figures above' }),
  headroom: z.array(z.object({
    provider: z.string(), model: z.string(), kind: z.enum(['requests', 'tokens']), remaining: reported, limit: reported, at: z.string(),
  })),
  declared: z.array(z.object({ name: z.string(), amount: declared })),
}).openapi('BaselineReport');

const baseline = z.object({
  id: z.string(), organization: z.string(), state: z.enum(['waiting', 'reporting', 'closed']), prefix: z.string(), keyRead: z.boolean(),
  createdAt: instant, firstDay: day.nullable(), closesAt: instant.nullable(), readmitted: z.boolean(), retiredAt: instant.nullable(),
}).openapi('Baseline');
const reportedBaseline = baseline.extend({ report }).openapi('ReportedBaseline');
const tapKey = z.object({ key: z.string(), prefix: z.string() }).openapi('TapKey');

const declaredName = z.string().openapi({ description: 'What the figure is of; one of the same name is replaced', example: 'Last invoice' });
const tag = 'assessments';

export const assessmentsOperations = [
  operation({
    id: 'createAssessment', method: 'post', path: '/assessments', role: 'admin', tag, status: 201,
    refuses: ['unknown_organization', 'baseline_exists'],
    summary: 'Make the Baseline; its tap key is read separately', answer: baseline,
    run: ({ context, actor }) => createBaseline(context, actor.organization),
  }),
  operation({
    id: 'listAssessments', refuses: ['unknown_organization'], method: 'get', path: '/assessments', role: 'viewer', tag,
    summary: "The organization's Baselines, the current one first", query: pageQuery, answer: pageOf(baseline),
    run: async ({ context, actor, query }) => {
      const found = await listBaselines(context, actor.organization);
      return isRefusal(found) ? found
        : pageOfList({ list: 'assessments', organization: actor.organization }, found, { nameOf: ({ id }) => id, query });
    },
  }),
  readingOperation({
    id: 'showAssessment', refuses: ['unknown_baseline'], path: '/assessments/{id}', role: 'viewer', tag,
    summary: 'The Baseline with its report', params, answer: reportedBaseline,
    run: ({ context, actor, params: { id } }) => showBaseline(context, { id, organization: actor.organization }),
  }),
  operation({
    id: 'readTapKey', method: 'get', path: '/assessments/{id}/tap-key', role: 'admin', tag, consuming: true,
    refuses: ['unknown_baseline', 'tap_key_already_shown'],
    summary: 'The tap key, once', params, answer: tapKey,
    run: ({ context, actor, params: { id } }) => readTapKey(context, { id, organization: actor.organization }),
  }),
  operation({
    id: 'rotateTapKey', method: 'post', path: '/assessments/{id}/tap-key/rotate', role: 'admin', tag,
    refuses: ['unknown_baseline', 'tap_retired'],
    summary: 'Replace the tap key; the new one is shown only once, and the old one stops working', params, answer: tapKey,
    run: ({ context, actor, params: { id } }) => rotateTapKey(context, { id, organization: actor.organization }),
  }),
  operation({
    id: 'retireAssessment', refuses: ['unknown_baseline'], method: 'post', path: '/assessments/{id}/retire', role: 'admin', tag,
    summary: 'End the tap for good', params, answer: baseline,
    run: ({ context, actor, params: { id } }) => retireBaseline(context, { id, organization: actor.organization }),
  }),
  operation({
    id: 'declareFigure', method: 'post', path: '/assessments/{id}/declared', role: 'admin', tag,
    refuses: ['unknown_baseline', 'invalid_name', 'too_many_figures'],
    summary: 'Record a declared figure', params, body: z.object({ name: declaredName, usd: dollarsSent }), answer: reportedBaseline,
    run: ({ context, actor, params: { id }, body }) => declareFigure(context, { id, organization: actor.organization }, body),
  }),
] as const;
