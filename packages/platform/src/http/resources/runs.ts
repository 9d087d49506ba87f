/** Runs of the organization, and the grants that allow one a larger budget. Rules 13 and 15; rules: Interfaces. */
import { z } from '@hono/zod-openapi';
import { clampReasons, runStates } from '@metergate/core/run/run.ts';
import { closeRun, listRuns, mintGrant, showRun } from '../../use-cases/runs.ts';
import { showStory } from '../../use-cases/run-story.ts';
import { operation, readingOperation } from '../operation.ts';
import { pageOf, pageQuery, storedPage } from '../paging.ts';
import { refusalSchema } from './refusals.ts';
import { dollars, dollarsSent, idParams, instant, lackingCalls } from './fields.ts';

export const runSchema = z.object({
  id: z.string(), state: z.enum(runStates), budget: dollars.nullable(), effective: dollars.nullable(), clampReason: z.enum(clampReasons).nullable(),
  spent: dollars, ...lackingCalls, startedAt: instant, expiresAt: instant.nullable(), endedAt: instant.nullable(),
}).openapi('Run');

export const runOperations = [
  operation({
    id: 'listRuns', method: 'get', path: '/runs', role: 'viewer', tag: 'runs', summary: 'Runs, newest first',
    refuses: ['unknown_organization'],
    query: pageQuery, answer: pageOf(runSchema),
    run: ({ context, actor: { organization }, query }) => storedPage({ list: 'runs', organization }, query, {
      read: ({ after, limit }) => listRuns(context, {
        organization, limit: limit!, ...(after === undefined ? {} : { after: { startedAtMs: after.at, id: after.id } }),
      }),
      placeOf: ({ startedAt, id }) => ({ at: Date.parse(startedAt), id }),
    }),
  }),
  operation({
    id: 'showRun', method: 'get', path: '/runs/{id}', role: 'viewer', tag: 'runs', summary: 'One run', params: idParams, answer: runSchema,
    refuses: ['unknown_run'],
    run: ({ context, actor, params }) => showRun(context, { organization: actor.organization, run: params.id }),
  }),
  readingOperation({
    id: 'showRunStory', path: '/runs/{id}/story', role: 'viewer', tag: 'runs', params: idParams,
    summary: 'What happened in a run: its calls step by step, when its budget fell, and what refused it',
    refuses: ['unknown_organization', 'unknown_run'],
    answer: z.object({
      run: runSchema, key: z.string().nullable().openapi({ description: 'The key of its first call; null: not known any more' }),
      stepSeconds: z.int(),
      steps: z.array(z.object({ at: instant, calls: z.int(), cost: dollars, failedCalls: z.int() })).openapi({
        description: 'Calls by their start, the earliest first; steps without calls are left out',
      }),
      lastCallAt: instant.nullable().openapi({ description: 'When its newest call that was forwarded started' }),
      lowerings: z.array(z.object({ at: instant, from: dollars.nullable(), to: dollars })).openapi({
        description: 'Each time its budget fell, or was named first; at most fifty',
      }),
      refusals: z.array(refusalSchema).openapi({ description: 'The newest first, at most a hundred' }), moreRefusals: z.boolean(),
      recordsGoneBefore: instant.nullable().openapi({ description: 'Records from before it were removed for their age' }),
    }).openapi('RunStory'),
    run: ({ context, actor, params }) => showStory(context, { organization: actor.organization, run: params.id }),
  }),
  operation({
    id: 'closeRun', method: 'post', path: '/runs/{id}/close', role: 'member', tag: 'runs', summary: 'End a run for good',
    refuses: ['unknown_run'],
    params: idParams, answer: runSchema,
    run: ({ context, actor, params }) => closeRun(context, { organization: actor.organization, run: params.id }),
  }),
  operation({
    id: 'mintGrant', method: 'post', path: '/run-grants', role: 'admin', tag: 'runs', status: 201,
    refuses: ['unknown_organization', 'invalid_grant'],
    summary: 'Sign a grant: one run may have a budget up to this maximum',
    body: z.strictObject({ run: z.string().min(1).max(128), max: dollarsSent, expiresInSeconds: z.int().min(1).max(3_153_600_000) }),
    answer: z.object({ grant: z.string() }).openapi('RunGrant'),
    run: ({ context, actor, body }) => mintGrant(context, {
      organization: actor.organization, run: body.run, max: body.max, lifetimeMs: body.expiresInSeconds * 1_000,
    }),
  }),
] as const;
